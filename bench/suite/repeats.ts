/**
 * How often something short is done in a round of a small size. The kernel counts the CPU time of other processes in hundredths of a second: a
 * round should take some tens of them.
 */
export function repeatsOf(scale: number, shareOfFull: number): number {
  return Math.max(1, Math.ceil(shareOfFull / scale));
}
