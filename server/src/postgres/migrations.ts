import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFile } from '../base/package-files.ts';
import { FrameholdError } from '../model/errors.ts';
import { Database, type DatabaseOptions, type Sql } from './database.ts';

export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly text: string;
  /** The oldest server that works with the tables as they are afterwards, by the last migration that it knows. */
  readonly runsWith: number;
}

/** A migration may rewrite a large table. */
const migrationTimeoutMs = 30 * 60_000;

/** Any number, the same for all servers: one of them at a time changes the tables. */
const advisoryLock = 0x46486c64;

/**
 * The files of `migrations/`, in order: `0001-catalog.sql`, … Each begins with `-- runs-with: N`. One that only adds keeps the number of the one before it, so
 * that nodes which do not know it yet go on; a higher one is followed by a line with the reason. Only ever added to.
 */
export function knownMigrations(): readonly Migration[] {
  const folder = fileURLToPath(packageFile({ bundled: 'migrations', source: 'postgres/migrations' }));
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .sort()
    .map((file) => migrationOf(file, readFileSync(join(folder, file), 'utf8')));
}

function migrationOf(file: string, text: string): Migration {
  const number = Number(/^(\d{4})-/.exec(file)?.[1]);
  const runsWith = Number(/^-- runs-with: (\d+)\n/.exec(text)?.[1]);
  if (!Number.isInteger(number) || !Number.isInteger(runsWith))
    throw new Error(`${file}: a migration is called NNNN-name.sql and begins with "-- runs-with: N".`);
  return { number, name: file.replace(/\.sql$/, ''), text, runsWith };
}

/** The number of the last of them. */
export function newestOf(migrations: readonly Migration[]): number {
  return migrations.at(-1)?.number ?? 0;
}

/** What keeps a server that knows migrations up to `known` from using the tables as they are; null: nothing. */
export interface NewerTables {
  /** The last migration that was made. */
  readonly made: number;
  /** The oldest server that works with the tables, by the last migration that it knows. */
  readonly runsWith: number;
}

export async function newerTables(sql: Sql, known: number): Promise<NewerTables | null> {
  // The highest of all: a later migration does not bring back what an earlier one took away.
  const row = await sql.first<NewerTables>(
    'SELECT coalesce(max(number), 0) AS made, coalesce(max(runs_with), 0) AS "runsWith" FROM migrations',
  );
  return row !== undefined && row.runsWith > known ? row : null;
}

/** For a sentence: which server changed the tables, and why this one cannot use them. */
export function describeNewer({ made, runsWith }: NewerTables, known: number): string {
  return `The catalog was changed by a newer server (migration ${made}). Only servers that know migration ${runsWith} can use it; this one knows ${known}.`;
}

/**
 * Brings the tables up to date. Servers of the release before go on beside it: a migration adds, and a later one takes away what no running
 * server uses any more. Refuses tables that only newer servers can use.
 */
export async function migrate(
  options: DatabaseOptions,
  migrations: readonly Migration[] = knownMigrations(),
): Promise<void> {
  const database = new Database({
    ...options,
    connectionsMax: 1,
    timeoutMs: migrationTimeoutMs,
    connectMs: options.timeoutMs,
  });
  try {
    await migrateDatabase(database, migrations);
  } finally {
    await database.close();
  }
}

async function migrateDatabase(database: Database, migrations: readonly Migration[]): Promise<void> {
  const newest = newestOf(migrations);
  await database.change(async (sql) => {
    await sql.rows('SELECT pg_advisory_xact_lock($1)', [advisoryLock]);
    await sql.rows(`CREATE TABLE IF NOT EXISTS migrations (
      number integer PRIMARY KEY, name text NOT NULL, runs_with integer NOT NULL, made_at timestamptz NOT NULL DEFAULT now())`);
    const newer = await newerTables(sql, newest);
    if (newer !== null)
      throw new FrameholdError('internal', describeNewer(newer, newest), {
        hint: 'Install the newer server. There is no way back but a backup from before the upgrade.',
      });
    const made = await sql.rows<{ number: number }>('SELECT number FROM migrations ORDER BY number');
    const last = made.at(-1)?.number ?? 0;
    for (const { number, name, text, runsWith } of migrations) {
      if (made.some((each) => each.number === number) || number < last) continue;
      await sql.rows(text);
      await sql.rows('INSERT INTO migrations VALUES ($1, $2, $3)', [number, name, runsWith]);
    }
  });
}
