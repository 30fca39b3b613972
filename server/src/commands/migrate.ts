import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { CredentialStore } from '../auth/credential-store.ts';
import { openDatabase } from '../catalog/sqlite/layout.ts';
import { objectsInCopy } from '../catalog/sqlite/maintenance/garbage-hold.ts';
import { aliveMs } from '../cluster/registered-nodes.ts';
import { type CatalogAccess, composeCatalogAccess, forCommand } from '../compose/catalog-access.ts';
import { dataPaths } from '../compose/data-paths.ts';
import {
  fillDirectories,
  leaveDirectory,
  lockDataDirectory,
  openSharedStore,
  openStoreUnchanged,
  requireUsedDirectories,
  usedDirectoryId,
} from '../compose/store.ts';
import type { Settings } from '../config/settings.ts';
import { UsageError } from '../config/usage-error.ts';
import { foreignStore } from '../frames/background/restore-guard.ts';
import { FrameholdError } from '../model/errors.ts';
import type { ClusterIdentity, IdentifiedStore } from '../ports/cluster-identity.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import type { Sql } from '../postgres/database.ts';
import { type CopyProgress, type CopyReport, copyObjects, isSound } from './backup/copy-objects.ts';
import { copyToPostgres } from './migrate/to-postgres.ts';
import { copyAccessToSqlite, copyCatalogToSqlite, unnamedLinkKey } from './migrate/to-sqlite.ts';

export interface Migrated extends CopyReport {
  /** Rows of the catalog; null if objects were damaged, or if it had been done before. */
  readonly rows: number | null;
}

type OnProgress = (progress: CopyProgress) => void;

/** All rows are copied in one transaction. */
const copyTimeoutMs = 6 * 60 * 60_000;
/** Keeps the nodes from removing objects that no row refers to yet. Renewed by running the command again. */
const orphansHeldMs = 24 * 60 * 60_000;

interface Target extends Pick<CatalogAccess, 'database' | 'clock'> {
  readonly identity: ClusterIdentity;
  readonly store: ObjectStore;
  readonly identified: IdentifiedStore;
}

/** Copies a data directory that no server uses into the catalog and the store of the settings, which must be empty. */
export async function migrateFrom(
  settings: Settings,
  directory: string,
  onProgress: OnProgress,
): Promise<Migrated> {
  await using made = new AsyncDisposableStack();
  const source = directorySettings(settings, directory);
  requireUsedDirectories(source);
  lockDataDirectory(source, made);
  const { catalog, credentials, linkKey } = dataPaths(source);
  // Brings an older one up to date.
  openDatabase(catalog).close();
  const attempt = `migrate:${usedDirectoryId(source)}`;
  const target = await openTarget(settings, made);
  const { database, clock, identity, store, identified } = target;
  if (await hasAttempt(database, attempt)) {
    leaveDirectory(source, identity.catalogId);
    return { rows: null, objects: 0, bytes: 0, copiedObjects: 0, copiedBytes: 0, faults: [] };
  }
  await requireQuiet(database, clock.now());
  await requireEmpty(database);
  await holdOrphans(database, clock.now());
  await claimStore(identity, identified);
  const present = await keysIn(store);
  const from = made.adopt(openStoreUnchanged(source), (open) => open.close());
  const report = await copyObjects(objectsInCopy(catalog), {
    from,
    to: store,
    has: async ({ key }) => present.has(key),
    onProgress,
  });
  if (report.faults.length > 0) return { ...report, rows: null };
  const files = {
    catalog,
    credentials: existsSync(credentials) ? credentials : null,
    linkKey: existsSync(linkKey) ? readFileSync(linkKey) : null,
  };
  const rows = await database.change(async (sql) => {
    // Nobody puts anything in between.
    await sql.rows('LOCK TABLE names IN EXCLUSIVE MODE');
    await refuseNames(sql);
    const count = await copyToPostgres(sql, files);
    await sql.run("INSERT INTO attempts VALUES ($1, $2, '{}')", [attempt, clock.now()]);
    await sql.run("DELETE FROM claims WHERE work = 'orphans' AND owner = 'migrate'");
    return count;
  });
  leaveDirectory(source, identity.catalogId);
  return { ...report, rows };
}

/** Copies what the catalog and the store of the settings have, while no node runs, into a new data directory. */
export async function migrateTo(
  settings: Settings,
  directory: string,
  onProgress: OnProgress,
): Promise<Migrated> {
  await using made = new AsyncDisposableStack();
  const { database, clock, identity, store, identified } = await openTarget(settings, made);
  await requireQuiet(database, clock.now());
  if ((await identified.readIdentity())?.catalogId !== identity.catalogId) throw foreignStore();
  const target = directorySettings(settings, directory);
  const filled = await fillDirectories(target, `migration of ${identity.catalogId}`, made);
  const paths = dataPaths(target);
  const staged = `${paths.catalog}.new`;
  const rows = await database.change(async (sql) => {
    // One moment for all tables.
    await sql.rows('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    return await copyRows(sql, { ...paths, catalog: staged });
  });
  const report = await copyObjects(objectsInCopy(staged), {
    from: store,
    to: filled.store,
    has: (object) => isSound(filled.store, object),
    onProgress,
  });
  if (report.faults.length > 0) return { ...report, rows: null };
  // One that started in between may have taken a put that is not here.
  await requireQuiet(database, clock.now());
  renameSync(staged, paths.catalog);
  filled.finish();
  return { ...report, rows };
}

/** An earlier try may have left some of it. */
async function copyRows(
  sql: Sql,
  { catalog, credentials, linkKey }: { catalog: string; credentials: string; linkKey: string },
): Promise<number> {
  for (const file of [catalog, credentials, linkKey])
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true });
  openDatabase(catalog).close();
  CredentialStore.open(credentials).close();
  const rows = (await copyCatalogToSqlite(sql, catalog)) + (await copyAccessToSqlite(sql, credentials));
  const key = await unnamedLinkKey(sql);
  if (key !== null) writeFileSync(linkKey, key, { mode: 0o600, flush: true });
  return rows;
}

function directorySettings(settings: Settings, directory: string): Settings {
  const path = resolve(directory);
  if (path === resolve(settings['storage.data_dir']))
    throw new UsageError(
      `${path} is also --data-dir, where this machine keeps copies of objects meanwhile: give another --data-dir.`,
    );
  return { ...settings, 'storage.data_dir': path };
}

async function openTarget(settings: Settings, made: AsyncDisposableStack): Promise<Target> {
  const options = { ...forCommand, timeoutMs: copyTimeoutMs };
  const { database, clock, identity: marked } = await composeCatalogAccess(settings, made, options);
  const identity = await marked.identity();
  lockDataDirectory(settings, made);
  const { store, identified } = await openSharedStore(
    settings,
    { catalogId: identity.catalogId, observe: () => {} },
    made,
  );
  return { database, clock, identity, store, identified };
}

async function requireQuiet(database: CatalogAccess['database'], now: number): Promise<void> {
  const nodes = await database.read((sql) =>
    sql.rows<{ id: string }>('SELECT id FROM nodes WHERE seen_at > $1 ORDER BY id LIMIT 10', [now - aliveMs]),
  );
  if (nodes.length === 0) return;
  throw new FrameholdError('internal', `Nodes use the catalog: ${nodes.map(({ id }) => id).join(', ')}.`, {
    hint: 'Stop them, wait ten seconds, and run the command again.',
  });
}

async function requireEmpty(database: CatalogAccess['database']): Promise<void> {
  await database.read(refuseNames);
}

async function refuseNames(sql: Sql): Promise<void> {
  if ((await sql.first('SELECT 1 FROM names LIMIT 1')) === undefined) return;
  throw new FrameholdError('internal', 'The catalog in PostgreSQL has frames already.', {
    hint: 'Give a new database and an empty bucket or prefix.',
  });
}

async function hasAttempt(database: CatalogAccess['database'], id: string): Promise<boolean> {
  const found = await database.read((sql) => sql.first('SELECT 1 FROM attempts WHERE id = $1', [id]));
  return found !== undefined;
}

async function holdOrphans(database: CatalogAccess['database'], now: number): Promise<void> {
  await database.change(async (sql) => {
    sql.send(
      `INSERT INTO claims (work, owner, until, tries) VALUES ('orphans', 'migrate', $1, 1)
       ON CONFLICT (work) DO UPDATE SET owner = excluded.owner, until = excluded.until`,
      [now + orphansHeldMs],
    );
  });
}

/** As the first node does. */
async function claimStore(identity: ClusterIdentity, identified: IdentifiedStore): Promise<void> {
  const found = await identified.readIdentity();
  if (found === null) await identified.writeIdentity(identity);
  else if (found.catalogId !== identity.catalogId) throw foreignStore();
}

/** What an earlier try has copied. An object appears in a store when it is whole. Some 100 bytes for each. */
async function keysIn(store: ObjectStore): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for await (const page of store.list()) for (const key of page) keys.add(key);
  return keys;
}
