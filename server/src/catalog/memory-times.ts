import { attemptUsableMs } from '../frames/objects/attempt-times.ts';

/** How long a catalog remembers what has ended. */

const dayMs = 24 * 60 * 60 * 1000;

/** A handle that ended answers frame_gone this long, then frame_not_found. */
export const goneKeptMs = 30 * dayMs;
/** A change whose answer was lost can be repeated under the same attempt id this long. */
export const attemptsKeptMs = attemptUsableMs;
/** How often work was begun without success is remembered this long after the last try. */
export const claimsKeptMs = 7 * dayMs;
/** An idempotency key answers as the first time this long. */
export const idempotencyKeptMs = dayMs;
