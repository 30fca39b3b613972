import { CredentialStore } from '../auth/credential-store.ts';
import { mintCredential } from '../auth/new-credential.ts';
import type { Settings } from '../config/settings.ts';
import { tokenCreated } from '../frames/access/audit.ts';
import type { Clock } from '../model/clock.ts';
import { defaultTenant } from '../model/tenant.ts';
import type { Credential } from '../ports/credential-source.ts';
import type { Observe } from '../ports/observation.ts';
import type { Database } from '../postgres/database.ts';
import { dataPaths } from './data-paths.ts';

interface FirstTokenDependencies {
  readonly observe: Observe;
  readonly now: Clock;
  /** Of the shared catalog, if there is one. */
  readonly database: Database | null;
}

/** As that of `framehold token create`: it was shown on a screen or in what a container printed, so it ends. */
const ttlMs = 90 * 86_400_000;

/**
 * A server that requires credentials and has no way to get one would be of no use: its first start makes a token. Null if there is, or ever was, a
 * credential, or if others vouch for callers. Of nodes that start together one makes it.
 */
export async function createFirstToken(
  settings: Settings,
  { observe, now, database }: FirstTokenDependencies,
): Promise<string | null> {
  const othersVouch =
    settings['auth.jwt_issuer'] !== undefined || settings['tls.client_ca_file'] !== undefined;
  if (!settings['auth.required'] || othersVouch) return null;
  const { credential, token } = mintCredential(
    { tenant: defaultTenant, scopes: ['admin'], name: 'first', ttlMs, certificate: null },
    now(),
  );
  const isFirst =
    database === null ? addLocally(settings, credential) : await addShared(database, credential);
  if (!isFirst) return null;
  observe(tokenCreated(credential));
  return token;
}

/** Over a connection of its own: the server notices what others have changed. */
function addLocally(settings: Settings, credential: Credential): boolean {
  const store = CredentialStore.open(dataPaths(settings).credentials);
  try {
    return store.addFirst(credential);
  } finally {
    store.close();
  }
}

async function addShared(database: Database, credential: Credential): Promise<boolean> {
  const { PostgresCredentials } = await import('../auth/postgres/postgres-credentials.ts');
  return await new PostgresCredentials(database).addFirst(credential);
}
