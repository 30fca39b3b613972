import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { FrameholdError } from '../model/errors.ts';
import { announce } from '../model/failpoints.ts';
import { randomId } from '../model/handle.ts';
import { type DirectoryMode, type Permissions, protectDirectory } from './directory-mode.ts';

/** The layout this version writes. A larger one was written by a newer server. */
const layoutVersion = 1;

/** The data directory, held by this process alone until `release`. */
export interface DataDirectory {
  readonly path: string;
  /** Of the directories whose mode was not what it should be. */
  readonly modes: readonly DirectoryMode[];
  release(): void;
}

export function openDataDirectory(
  path: string,
  parquetPath: string,
  permissions: Permissions = 'private',
): DataDirectory {
  refuseUnfinished(path);
  return holdDataDirectory(path, parquetPath, permissions);
}

/** Left in a directory that is not complete; only what began it may continue. */
const unfinishedFile = 'unfinished.json';
const migratedFile = 'migrated.json';
/** In a directory of backups. */
const backupsFile = 'backup.json';

/** In the root of a new volume. */
const madeByFilesystem = 'lost+found';

/** For commands that fill a directory. Until `finish`, no server starts on it; repeating the command continues, if it has the same purpose. */
export function fillDataDirectory(
  path: string,
  parquetPath: string,
  permissions: Permissions,
  purpose: string,
): DataDirectory & { finish(): void } {
  const file = join(path, unfinishedFile);
  makeDirectory(path);
  makeDirectory(parquetPath);
  const begun = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { purpose: string }) : null;
  if (begun === null) {
    for (const directory of new Set([path, parquetPath])) {
      // Most often the Parquet directory is below the other one, and has just been made.
      const names = readdirSync(directory).filter(
        (name) => join(directory, name) !== parquetPath && name !== madeByFilesystem,
      );
      if (names.length > 0)
        throw new FrameholdError('internal', `${directory} is not empty: it has ${names[0]}.`, {
          hint: 'Give a new directory.',
        });
    }
    writeWhole(file, `${JSON.stringify({ purpose })}\n`);
  } else if (begun.purpose !== purpose)
    throw new FrameholdError('internal', `Something else was begun in ${path}: ${begun.purpose}.`, {
      hint: 'Finish that by running the same command again, or give a new directory.',
    });
  const held = holdDataDirectory(path, parquetPath, permissions);
  return {
    ...held,
    finish: () => {
      rmSync(file);
      syncDirectory(path);
    },
  };
}

/** The id of a directory that a server has used. */
export function dataDirectoryId(path: string): string {
  return readOrCreateFormat(join(path, 'format.json'), randomId()).id;
}

/** Everything in it is elsewhere now: a server that went on with it would have other frames than the nodes there. */
export function markMigrated(path: string, to: string): void {
  writeWhole(join(path, migratedFile), `${JSON.stringify({ to, at: new Date().toISOString() })}\n`);
}

function refuseUnfinished(path: string): void {
  if (existsSync(join(path, migratedFile)))
    throw new FrameholdError('internal', `${path} was migrated to a catalog in PostgreSQL.`, {
      hint: `Set catalog.url. To go on with the directory as it was, remove ${migratedFile} from it.`,
    });
  if (existsSync(join(path, unfinishedFile)))
    throw new FrameholdError('internal', `${path} is not complete: filling it was interrupted.`, {
      hint: 'Run the same framehold restore or framehold migrate again, or give another directory.',
    });
  if (existsSync(join(path, backupsFile)))
    throw new FrameholdError('internal', `${path} is a directory of backups.`, {
      hint: 'Restore one into a new data directory with framehold restore.',
    });
}

function holdDataDirectory(path: string, parquetPath: string, permissions: Permissions): DataDirectory {
  makeDirectory(path);
  // First of all: the lock and everything after it is below.
  const modes = [protectDirectory(path, permissions)];
  const lock = takeLock(path);
  try {
    const format = readOrCreateFormat(join(path, 'format.json'), randomId());
    claimParquetDirectory(parquetPath, format.id);
    modes.push(protectDirectory(parquetPath, permissions));
  } catch (error) {
    lock.close();
    throw error;
  }
  return { path, modes: modes.filter((mode) => mode !== null), release: () => lock.close() };
}

/** Level by level: Node's own recursion never ends below a filesystem like /proc, where making a directory says that its parent is missing. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeDirectory(parent);
  mkdirSync(path);
}

/** SQLite's exclusive lock is a lock of the kernel: it goes with the process, however that ends, and so is never stale. */
function takeLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(join(path, 'lock'));
  try {
    lock.exec('PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (cause) {
    lock.close();
    throw new DirectoryInUse(path, cause);
  }
}

/** Another process has the lock. */
export class DirectoryInUse extends FrameholdError {
  constructor(path: string, cause: unknown) {
    super('internal', `Another server uses the data directory ${path}.`, {
      cause,
      hint: 'Stop that server, or give this one another --data-dir.',
    });
  }
}

interface Format {
  readonly layout: number;
  /** Ties a cold directory to the data directory whose catalog knows its files. */
  readonly id: string;
}

/** Objects that the catalog does not know are removed, so a cold directory must not be shared by two catalogs. */
function claimParquetDirectory(path: string, id: string): void {
  makeDirectory(path);
  const format = readOrCreateFormat(join(path, 'format.json'), id);
  if (format.id !== id) {
    throw new FrameholdError('internal', `The Parquet directory ${path} belongs to another data directory.`, {
      hint: 'Give this server a storage.parquet_path of its own.',
    });
  }
}

function readOrCreateFormat(file: string, id: string): Format {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const format: Format = { layout: layoutVersion, id };
    writeWhole(file, `${JSON.stringify(format)}\n`);
    return format;
  }
  const format = parseFormat(text);
  if (format === null) {
    throw new FrameholdError('internal', `${file} does not say which layout its directory has.`, {
      hint: 'Restore the file, or give an empty directory.',
    });
  }
  if (format.layout > layoutVersion) {
    throw new FrameholdError(
      'internal',
      `${file} says layout ${format.layout}; this server knows layouts up to ${layoutVersion}.`,
      {
        hint: 'It was written by a newer version of Framehold: start that version, or restore a backup made by this one.',
      },
    );
  }
  return format;
}

/** Whole or not at all: half a file would keep every later start from saying which layout this is. */
function writeWhole(file: string, text: string): void {
  const staged = `${file}.new`;
  writeFileSync(staged, text, { flush: true });
  announce('start:layout-staged');
  renameSync(staged, file);
  syncDirectory(dirname(file));
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}

function parseFormat(text: string): Format | null {
  try {
    const { layout, id } = JSON.parse(text) as { layout?: unknown; id?: unknown };
    return typeof layout === 'number' && Number.isInteger(layout) && typeof id === 'string'
      ? { layout, id }
      : null;
  } catch {
    return null;
  }
}
