import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';

/**
 * The credential decides who the caller is; the user name only must not say otherwise. Tools fill in names of their own, so any name will do that is no other
 * tenant's.
 */
export function checkUserName(user: string, { tenant }: Caller, isTenant: (name: string) => boolean): void {
  if (user === tenant || !isTenant(user)) return;
  throw new FrameholdError(
    'unauthenticated',
    `The credential does not belong to the tenant ${JSON.stringify(user)}.`,
    {
      sqlState: '28000',
      hint: 'Connect with the name of your own tenant, or with framehold.',
    },
  );
}
