/** The tenant if none is named, and on a server without credentials. */
export const defaultTenant = 'default';

/** The tenant of an operator, who has none. No frame can belong to it: it is not a valid name. */
export const noTenant = '';

/** Tenants are folders in the store and come before a colon in handles. */
const tenantPattern = /^[a-z0-9][a-z0-9_-]{0,62}$/;

export const tenantRule = 'A tenant is 1 to 63 of a-z 0-9 _ - and begins with a letter or a digit.';

export function isTenant(text: string): boolean {
  return tenantPattern.test(text);
}
