import { FrameholdError } from '../../model/errors.ts';

/** A frame for more tenants than this is for everybody: then it belongs in a tenant that everybody can read. */
export const sharesMax = 1_000;

/** Before one more tenant is added. */
export function checkShares(readers: readonly string[]): void {
  if (readers.length < sharesMax) return;
  throw new FrameholdError('bad_request', `The frame is shared with ${sharesMax} tenants already.`, {
    hint: 'Stop sharing it with some of them.',
  });
}
