import { attemptUsableMs } from '../model/attempt-times.ts';

/** How long a catalog remembers what has ended. */

const dayMs = 24 * 60 * 60 * 1000;

/** How long a handle that has ended gives frame_gone; then frame_not_found. */
export const goneKeptMs = 30 * dayMs;
/** How long a change whose answer was lost can be repeated under the same attempt id. */
export const attemptsKeptMs = attemptUsableMs;
/** How long after the last try the number of failed tries is remembered. */
export const leasesKeptMs = 7 * dayMs;
/** How long an idempotency key gives its first answer again. */
export const idempotencyKeptMs = dayMs;
/** How long a caller's statements are in its history. */
export const historyKeptMs = 30 * dayMs;
/** How long an event can be read: a browser that slept for longer reads everything anew. */
export const eventsKeptMs = 60 * 60 * 1000;
/** Events of one tenant that are kept, up to a hundred more: with the longest names about 300 bytes each. */
export const eventsKept = 10_000;
