/** Several times as long as a node that is only slow goes without a sign of life. */
const deadMs = 60_000;

/**
 * Whether a lease `c` holds. Work of a node that was killed is taken on by another one a minute later, and not when its leases end: as its owner it
 * has no successor, since a node may have a new id at every start. An owner that is not among the nodes, such as a command, is believed.
 */
export function leaseHolds(now: string): string {
  return `c.until > ${now}
    AND NOT EXISTS (SELECT 1 FROM nodes WHERE nodes.id = c.owner AND nodes.seen_at < ${now} - ${deadMs})`;
}
