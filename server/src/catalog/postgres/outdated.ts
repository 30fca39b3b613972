import { FrameholdError } from '../../model/errors.ts';
import { codeOf } from '../../postgres/faults.ts';

/** Thrown by a change that has found what it read to be outdated: the transaction is made again. */
export class Outdated extends Error {
  constructor() {
    super('What the catalog has read was changed meanwhile.');
  }
}

/** unique_violation, foreign_key_violation: another transaction has added or removed meanwhile what this one did not find, or did. */
const outdatedStates: ReadonlySet<string> = new Set(['23505', '23503']);

export function isOutdated(error: unknown): boolean {
  if (error instanceof FrameholdError) return false;
  return error instanceof Outdated || outdatedStates.has(codeOf(error) ?? '');
}
