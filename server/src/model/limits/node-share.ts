/** What one of several nodes allows of a limit of all together. At least 1: a small limit must not close a node. */
export function shareOf(limit: number, nodes: number): number {
  return Math.max(1, Math.ceil(limit / nodes));
}
