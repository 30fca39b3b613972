import type { Credential, Proof } from '../ports/credential-source.ts';
import type { NewCredential, ShownCredential } from '../ports/tokens.ts';
import { hashSecret, mintId, mintToken, tokenText } from './token.ts';

/** The token is known only now: null for a certificate. */
export function mintCredential(
  { tenant, scopes, name, ttlMs, certificate }: NewCredential,
  now: number,
): { readonly credential: Credential; readonly token: string | null } {
  const token = certificate === null ? mintToken() : null;
  const proof: Proof =
    token === null
      ? { kind: 'certificate', subject: certificate ?? '' }
      : { kind: 'token', secretHash: hashSecret(token.secret) };
  const id = token?.id ?? mintId();
  const credential: Credential = {
    id,
    tenant,
    name: name ?? `${proof.kind}:${id}`,
    scopes,
    createdAt: now,
    expiresAt: ttlMs === null ? null : now + ttlMs,
    revokedAt: null,
    proof,
  };
  return { credential, token: token === null ? null : tokenText(token) };
}

/** Without what proves it. */
export function shownCredential({ proof, ...credential }: Credential): ShownCredential {
  return { ...credential, certificate: proof.kind === 'certificate' ? proof.subject : null };
}
