import { FrameholdError } from '../../frames/errors.ts';
import type { Database, Transaction } from '../../postgres/database.ts';
import { codeOf, isTooSlow, unavailable } from '../../postgres/faults.ts';

/** Thrown by a change that has found what it read to be outdated: the transaction is made again. */
export class Outdated extends Error {
  constructor() {
    super('What the catalog has read was changed meanwhile.');
  }
}

/** unique_violation, foreign_key_violation: another transaction has added or removed meanwhile what this one did not find, or did. */
const outdatedStates: ReadonlySet<string> = new Set(['23505', '23503']);
/** Each time another change has been made: so many in a row mean that it is not that. */
const triesMax = 10;

/**
 * A transaction that is made again if another one came between what it has read and what it writes. It holds the lock of a name mostly, and
 * then none can; but a name, a key or a schema that is new has no row to lock.
 */
export async function changeAsOfNow<Answer>(
  database: Database,
  work: (sql: Transaction) => Promise<Answer>,
): Promise<Answer> {
  for (let tries = 1; ; tries++) {
    try {
      return await database.change(work);
    } catch (error) {
      if (isTooSlow(error)) throw unavailable(error, 'The catalog did not answer in time.');
      if (!isOutdated(error) || tries >= triesMax) throw error;
    }
  }
}

function isOutdated(error: unknown): boolean {
  if (error instanceof FrameholdError) return false;
  return error instanceof Outdated || outdatedStates.has(codeOf(error) ?? '');
}
