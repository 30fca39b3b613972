import type { CredentialSource } from '../ports/credential-source.ts';
import type { Pace } from './followed.ts';

/**
 * How soon a revocation counts. Asking the file whether it has changed takes some 4 µs, more than all the rest of a known token. What
 * is not known here is asked for at once, because a new token is used at once.
 */
const local: Pace = { everyMs: 50, distant: null };

/**
 * A revoked token stops within a second on every node: a request that comes when the last answer is older than that waits for the next one, and
 * fails with it. Reads need the same database, so little else would work. Requests and streams under way survive its restart.
 */
const distant: Pace = { everyMs: 250, distant: { freshMs: 900, endsMs: 30_000 } };

export function paceOf(source: CredentialSource): Pace {
  return source.isDistant ? distant : local;
}
