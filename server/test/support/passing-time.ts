/**
 * Lets real time pass. Only for tests whose subject is time itself: a pause of a slow reader, the pace of a random load, a limit that a page
 * promises. `because` says which. What must come is waited for with `eventually`; no other test file sets a timer for itself to wait
 * (house/fixed-sleeps.test.ts).
 */
export function timePasses(ms: number, _because: string): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
