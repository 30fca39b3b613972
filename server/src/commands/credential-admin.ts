import { mkdirSync } from 'node:fs';
import { CredentialStore } from '../auth/credential-store.ts';
import { readUsage } from '../catalog/sqlite/tenants/usage-at-rest.ts';
import { databaseOptions } from '../compose/catalog-database.ts';
import { dataPaths } from '../compose/data-paths.ts';
import type { Settings } from '../config/settings.ts';
import type { Clock } from '../model/clock.ts';
import type { LimitChanges, SetLimits } from '../model/limits/tenant-limit-values.ts';
import type { TenantUsage } from '../ports/catalog/versions.ts';
import type { Credential } from '../ports/credential-source.ts';
import type { DatabaseOptions } from '../postgres/database.ts';

type AtOnceOrLater<Answer> = Answer | Promise<Answer>;

/** What the command line reads and changes while servers run: credentials, limits of tenants, and what each tenant holds. */
export interface CredentialAdmin {
  readonly now: Clock;
  all(): AtOnceOrLater<readonly Credential[]>;
  add(credential: Credential): AtOnceOrLater<void>;
  /** False if there is none of this id. */
  revoke(id: string, now: number): AtOnceOrLater<boolean>;
  limits(): AtOnceOrLater<ReadonlyMap<string, SetLimits>>;
  setLimits(tenant: string, changes: LimitChanges): AtOnceOrLater<void>;
  usage(): AtOnceOrLater<ReadonlyMap<string, TenantUsage>>;
  close(): AtOnceOrLater<void>;
}

/** Of the catalog in PostgreSQL if the settings name one, else of the data directory. Running servers notice changes. */
export async function openCredentialAdmin(settings: Settings): Promise<CredentialAdmin> {
  const database = databaseOptions(settings);
  return database === null ? localBook(settings) : sharedBook(database);
}

function localBook(settings: Settings): CredentialAdmin {
  const paths = dataPaths(settings);
  mkdirSync(paths.directory, { recursive: true });
  const store = CredentialStore.open(paths.credentials);
  return {
    now: () => Date.now(),
    all: () => store.all(),
    add: (credential) => store.add(credential),
    revoke: (id, now) => store.revoke(id, now),
    limits: () => store.limits.all(),
    setLimits: (tenant, changes) => store.setLimits(tenant, changes),
    usage: () => readUsage(paths.catalog),
    close: () => store.close(),
  };
}

/** The tables may not be there yet: the first token is made before the first node is started. */
async function sharedBook(options: DatabaseOptions): Promise<CredentialAdmin> {
  const [{ Database }, { migrate }, { CatalogClock }, { PostgresCredentials }, { readUsage }] =
    await Promise.all([
      import('../postgres/database.ts'),
      import('../postgres/migrations.ts'),
      import('../postgres/catalog-clock.ts'),
      import('../auth/postgres/postgres-credentials.ts'),
      import('../catalog/postgres/tenants/usage-at-rest.ts'),
    ]);
  await migrate(options);
  await using made = new AsyncDisposableStack();
  const database = made.adopt(new Database({ ...options, connectionsMax: 2 }), (open) => open.close());
  const { now } = made.adopt(await CatalogClock.open(database), (open) => open.close());
  const credentials = new PostgresCredentials(database);
  const rest = made.move();
  return {
    now,
    all: () => credentials.all(),
    add: (credential) => credentials.add(credential),
    revoke: (id, at) => credentials.revoke(id, at),
    limits: () => credentials.limits(),
    setLimits: (tenant, changes) => credentials.setLimits(tenant, changes),
    usage: () => readUsage(database),
    close: () => rest.disposeAsync(),
  };
}
