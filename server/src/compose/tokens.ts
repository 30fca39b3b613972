import { mkdirSync } from 'node:fs';
import { CredentialStore } from '../auth/credential-store.ts';
import { hashSecret, idOf, mintId, mintToken, tokenText } from '../auth/token.ts';
import type { Settings } from '../config/settings.ts';
import type { Credential, Proof } from '../frames/ports/credential-source.ts';
import type { NewCredential, ShownCredential, Tokens } from '../frames/ports/tokens.ts';
import { dataPaths } from './data-paths.ts';

/** The credentials of a data directory, for the command line. A running server notices changes. */
export function composeTokens(settings: Settings): Tokens {
  const { directory, credentials } = dataPaths(settings);
  mkdirSync(directory, { recursive: true });
  const store = CredentialStore.open(credentials);
  return {
    create: (wanted) => create(store, wanted),
    list: () => store.all().map(shown),
    revoke: (text) => {
      const id = idOf(text);
      return id !== null && store.revoke(id, Date.now()) ? id : null;
    },
    close: () => store.close(),
  };
}

function create(
  store: CredentialStore,
  { tenant, scopes, name, ttlMs, certificate }: NewCredential,
): { readonly credential: ShownCredential; readonly token: string | null } {
  const token = certificate === null ? mintToken() : null;
  const proof: Proof =
    token === null
      ? { kind: 'certificate', subject: certificate ?? '' }
      : { kind: 'token', secretHash: hashSecret(token.secret) };
  const id = token?.id ?? mintId();
  const now = Date.now();
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
  store.add(credential);
  return { credential: shown(credential), token: token === null ? null : tokenText(token) };
}

function shown({ proof, ...credential }: Credential): ShownCredential {
  return { ...credential, certificate: proof.kind === 'certificate' ? proof.subject : null };
}
