import { chmodSync, closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { FrameholdError } from '../model/errors.ts';
import type { LimitChanges, SetLimits } from '../model/limits/tenant-limit-values.ts';
import type { Changed, Credential, CredentialSource } from '../ports/credential-source.ts';
import { credentialsMax, tooManyCredentials } from './bounds.ts';
import { type CredentialRow, credentialOf, newRowOf } from './credential-row.ts';
import { LimitStore } from './limit-store.ts';

/** "FHcr": tells the file from other programs' SQLite files. */
const applicationId = 0x46486372;
/** The layout that this version writes. A larger one was written by a newer server. */
const layoutVersion = 0;

const layout = `
CREATE TABLE IF NOT EXISTS credentials (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  secret_hash BLOB,
  subject TEXT,
  tenant TEXT NOT NULL,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
PRAGMA application_id = ${applicationId};
`;

/**
 * The credentials of a data directory, in a file of their own: the command line changes it while a server reads it. What is revoked stays,
 * so that a server whose last credential was revoked does not become an open one.
 */
export class CredentialStore implements CredentialSource {
  readonly isDistant = false;
  readonly limits: LimitStore;
  readonly #db: DatabaseSync;
  readonly #dataVersion: StatementSync;

  static open(path: string): CredentialStore {
    // Made before SQLite makes it, for nobody but the owner to read.
    closeSync(openSync(path, 'a', 0o600));
    chmodSync(path, 0o600);
    const db = new DatabaseSync(path);
    try {
      refuseNewer(db, path);
      db.exec('PRAGMA busy_timeout = 5000; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;');
      const known = Number(db.prepare('PRAGMA application_id').get()?.application_id);
      if (known !== applicationId) createLayout(db, path);
      return new CredentialStore(db);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  private constructor(db: DatabaseSync) {
    this.#db = db;
    this.limits = new LimitStore(db);
    this.#dataVersion = db.prepare('PRAGMA data_version');
  }

  credentialsSince(mark: number | null): Changed<readonly Credential[]> | null {
    return this.#since(mark, () => this.all());
  }

  limitsSince(mark: number | null): Changed<ReadonlyMap<string, SetLimits>> | null {
    return this.#since(mark, () => this.limits.all());
  }

  setLimits(tenant: string, changes: LimitChanges): void {
    this.limits.set(tenant, changes);
  }

  /** SQLite's number is another one as soon as another process has changed something. */
  #since<Content>(mark: number | null, read: () => Content): Changed<Content> | null {
    const version = Number(this.#dataVersion.get()?.data_version);
    return version === mark ? null : { mark: version, content: read() };
  }

  all(): readonly Credential[] {
    const rows = this.#db.prepare('SELECT * FROM credentials ORDER BY created_at, id LIMIT ?');
    return (rows.all(credentialsMax) as unknown as CredentialRow[]).map(credentialOf);
  }

  add(credential: Credential): void {
    const { count } = this.#db.prepare('SELECT count(*) AS count FROM credentials').get() as {
      count: number;
    };
    if (count >= credentialsMax) throw tooManyCredentials(count);
    this.#db
      .prepare('INSERT INTO credentials VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, NULL)')
      .run(...newRowOf(credential));
  }

  /** False, and nothing is added, if there is or was any. */
  addFirst(credential: Credential): boolean {
    const insert = this.#db.prepare(
      `INSERT INTO credentials SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, NULL
       WHERE NOT EXISTS (SELECT 1 FROM credentials)`,
    );
    return insert.run(...newRowOf(credential)).changes > 0;
  }

  /** False if there is none of this id. What was revoked before stays revoked as of then. */
  revoke(id: string, now: number): boolean {
    const update = 'UPDATE credentials SET revoked_at = ifnull(revoked_at, ?) WHERE id = ?';
    return this.#db.prepare(update).run(now, id).changes > 0;
  }

  close(): void {
    this.#db.close();
  }
}

/** Before anything is written: what a newer server keeps there may mean that a credential is not in force. */
function refuseNewer(db: DatabaseSync, path: string): void {
  const version = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (version <= layoutVersion) return;
  throw new FrameholdError(
    'internal',
    `The credentials ${path} have layout ${version}; this server knows layouts up to ${layoutVersion}.`,
    {
      hint: 'It was written by a newer version of Framehold: start that version, or restore a backup made by this one.',
    },
  );
}

function createLayout(db: DatabaseSync, path: string): void {
  const { count } = db.prepare('SELECT count(*) AS count FROM sqlite_schema').get() as { count: number };
  // Two commands may make it at the same moment: then the second finds the first one's table.
  const isOurs = db.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'credentials'").get() !== undefined;
  if (count > 0 && !isOurs)
    throw new FrameholdError('internal', `${path} is an SQLite file, but not one of credentials.`, {
      hint: 'Use another data directory, or move the file.',
    });
  db.exec(`BEGIN IMMEDIATE; ${layout} COMMIT;`);
}
