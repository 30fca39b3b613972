import { setTimeout as sleep } from 'node:timers/promises';
import { FrameholdError } from '../model/errors.ts';

/** A catalog that answers again after a lost connection does so within seconds; a caller waits at most this long for it. */
const waitsMs = [50, 500, 2_000] as const;

/** These mean that the repeated change was not examined: the outcome of the first try stays unknown. */
const undecided: ReadonlySet<string> = new Set([
  'outcome_unknown',
  'internal',
  'overloaded',
  'unavailable',
  'draining',
  'disk_full',
]);

/**
 * Makes a change of the catalog. If its outcome is unknown, the same change is repeated until the catalog answers: it takes effect once. If it
 * does not answer, the error is outcome_unknown, and nothing that the change refers to may be deleted.
 */
export async function repeatIfUnknown<Answer>(change: () => Promise<Answer>): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    if (!isOutcomeUnknown(error)) throw error;
    for (const waitMs of waitsMs) {
      await sleep(waitMs);
      try {
        return await change();
      } catch (again) {
        if (again instanceof FrameholdError && !undecided.has(again.kind)) throw again;
      }
    }
    throw error;
  }
}

/** Only our own errors are refusals: an unexpected fault may have come after the change. */
export function isOutcomeUnknown(error: unknown): boolean {
  return !(error instanceof FrameholdError) || error.kind === 'outcome_unknown';
}
