import { DatabaseSync } from 'node:sqlite';
import { FrameholdError } from '../../model/errors.ts';
import { addDamageTables } from './integrity/damage-tables.ts';
import { layoutSteps } from './layout-steps.ts';

/** How the catalog's file is opened, and brought to the newest layout. */

/** "FHld": distinguishes the file from SQLite files of other programs. */
const applicationId = 0x46486c64;

/** Enough for the pages that look-ups among a million names use; allocated as the catalog grows. */
const cacheKibibytes = 262_144;

/** A file with a higher one was written by a newer server. */
const layoutVersion = layoutSteps.length;

export function openDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  try {
    // Before anything is written: a file that is not ours stays as it was.
    const version = pragmaNumber(db, 'user_version');
    refuseForeignFile(db, path, version);
    db.exec(`
      PRAGMA busy_timeout = 5000;
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = FULL;
      PRAGMA foreign_keys = ON;
      PRAGMA temp_store = MEMORY;
      PRAGMA cache_size = -${cacheKibibytes};
      PRAGMA wal_autocheckpoint = 16384;
      PRAGMA journal_size_limit = 134217728;
    `);
    if (version < layoutVersion) bringUpToDate(db, version);
    addDamageTables(db);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** For those that open the file beside a server, which must not find other tables afterwards. */
export function refuseOtherLayout(db: DatabaseSync, path: string): void {
  const version = pragmaNumber(db, 'user_version');
  refuseForeignFile(db, path, version);
  if (version === layoutVersion) return;
  throw new FrameholdError(
    'internal',
    `The catalog ${path} has layout ${version}; this command works with layout ${layoutVersion}.`,
    { hint: 'Use the framehold command of the version that runs on it, or start this version on it once.' },
  );
}

function refuseForeignFile(db: DatabaseSync, path: string, version: number): void {
  const tableCount = Number(db.prepare('SELECT count(*) AS count FROM sqlite_schema').get()?.count);
  const empty = version === 0 && tableCount === 0;
  if (!empty && pragmaNumber(db, 'application_id') !== applicationId) {
    throw new FrameholdError('internal', `${path} is an SQLite file, but not a Framehold catalog.`, {
      hint: 'Use another data directory, or move the file.',
    });
  }
  if (version > layoutVersion) {
    throw new FrameholdError(
      'internal',
      `The catalog ${path} has layout ${version}; this server knows layouts up to ${layoutVersion}.`,
      {
        hint: 'It was written by a newer version of Framehold: start that version, or restore a backup made by this one.',
      },
    );
  }
}

/** All steps that are missing, or none: a server that dies in between leaves the layout as it was. */
function bringUpToDate(db: DatabaseSync, version: number): void {
  db.exec(`
    BEGIN IMMEDIATE;
    ${layoutSteps.slice(version).join('\n')}
    PRAGMA application_id = ${applicationId};
    PRAGMA user_version = ${layoutVersion};
    COMMIT;
  `);
}

function pragmaNumber(db: DatabaseSync, name: string): number {
  return Number(db.prepare(`PRAGMA ${name}`).get()?.[name]);
}
