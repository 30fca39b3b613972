import type { Scope } from '../model/scope.ts';
import type { Credential, Proof } from '../ports/credential-source.ts';

/** A credential as a table has it, in SQLite and in PostgreSQL. */
export interface CredentialRow {
  readonly id: string;
  readonly kind: Proof['kind'];
  readonly secret_hash: Uint8Array | null;
  readonly subject: string | null;
  readonly tenant: string;
  readonly name: string;
  readonly scopes: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
}

export function credentialOf(row: CredentialRow): Credential {
  return {
    id: row.id,
    tenant: row.tenant,
    name: row.name,
    scopes: row.scopes.split(',') as Scope[],
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    revokedAt: row.revoked_at,
    proof:
      row.kind === 'token'
        ? { kind: 'token', secretHash: row.secret_hash ?? new Uint8Array(0) }
        : { kind: 'certificate', subject: row.subject ?? '' },
  };
}

/** A new credential as values of the columns before `revoked_at`, in their order. */
export function newRowOf({ id, proof, tenant, name, scopes, createdAt, expiresAt }: Credential) {
  const secret = proof.kind === 'token' ? Buffer.from(proof.secretHash) : null;
  const subject = proof.kind === 'certificate' ? proof.subject : null;
  return [id, proof.kind, secret, subject, tenant, name, scopes.join(','), createdAt, expiresAt];
}
