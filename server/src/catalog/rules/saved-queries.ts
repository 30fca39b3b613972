import { FrameholdError } from '../../model/errors.ts';
import type { SavedLimits } from '../../ports/catalog/queries.ts';

/** What a tenant has saved. */
export interface SavedSize {
  readonly count: number;
  readonly bytes: number;
}

/** Refuses a change that has brought a tenant to this size. */
export function checkSaved(
  { count, bytes }: SavedSize,
  { countMax, bytesMax }: SavedLimits,
  isCreated: boolean,
): void {
  if (isCreated && count > countMax) throw tooMany(`${countMax} saved queries`);
  if (bytes > bytesMax) throw tooMany(`saved queries of ${bytesMax} bytes together`);
}

function tooMany(limit: string): FrameholdError {
  return new FrameholdError('quota_exceeded', `A tenant may have ${limit}, and would have more.`, {
    hint: 'Remove some that are no longer needed: DELETE /v1/saved-queries/{name}.',
  });
}
