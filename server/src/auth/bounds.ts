import { FrameholdError } from '../model/errors.ts';

/** All of them are held in memory by a running server; more than this is a mistake, or a case for an OIDC issuer. */
export const credentialsMax = 10_000;
/** Tenants with limits of their own, which are held in memory, too. */
export const limitedTenantsMax = 10_000;

export function tooManyCredentials(count: number): FrameholdError {
  return new FrameholdError('overloaded', `There are ${count} credentials, which is as many as are kept.`, {
    hint: 'Use JSON Web Tokens of an OIDC issuer for so many callers.',
  });
}

export function tooManyLimits(): FrameholdError {
  return new FrameholdError('overloaded', `${limitedTenantsMax} tenants have limits of their own already.`, {
    hint: 'Set the limits that most tenants share in the settings (tenant.*).',
  });
}
