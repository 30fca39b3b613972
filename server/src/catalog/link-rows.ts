import { FrameholdError } from '../model/errors.ts';
import type { LinkRecord } from '../ports/catalog/sharing.ts';

/** A list of them is one answer. Downloads make links of a minute, so one name may have many. */
export const linksMax = 1_000;
/** Revoked ones are remembered so that repeating a revocation succeeds. One that is forgotten is not in force either. */
export const revokedMax = 1_000;

export interface LinkRow {
  readonly id: string;
  readonly version: number;
  readonly life: number;
  readonly created_at: number;
  readonly created_by: string;
  readonly expires_at: number;
}

export function linkOf(tenant: string, name: string, row: LinkRow): LinkRecord {
  const { id, version, life, created_at: createdAt, created_by: createdBy, expires_at: expiresAt } = row;
  return { id, tenant, name, version, incarnation: life, createdAt, createdBy, expiresAt };
}

export function tooManyLinks(): FrameholdError {
  return new FrameholdError('bad_request', `The frame has ${linksMax} links that are in force.`, {
    hint: 'Revoke some of them, or share the frame with the tenant of its readers.',
  });
}

export function linkNotFound(): FrameholdError {
  return new FrameholdError('link_not_found', 'The frame has no link with this id.', {
    hint: 'List its links: one that has expired is no longer among them.',
  });
}
