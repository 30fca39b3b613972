import { DatabaseSync } from 'node:sqlite';
import { randomId } from '../../../model/handle.ts';
import type { StoredObject } from '../../../model/version.ts';
import { replacedKind } from '../../part-rows.ts';
import { refuseOtherLayout } from '../layout.ts';

/** Holds are leases of this kind. `hold0` is the first text after all of them: `0` follows `/` in ASCII. */
const firstHold = 'hold/';
const afterHolds = 'hold0';

/** A killed holder delays the collector by at most this. It is renewed several times within it. */
const holdMs = 10 * 60_000;
const renewEveryMs = 60_000;
/** The server's groups of changes end within milliseconds; this also covers a checkpoint on a slow disk. */
const busyTimeoutMs = 30_000;

/** Whether somebody holds garbage at ?1. */
export const isHeld = `SELECT 1 FROM claims WHERE work >= '${firstHold}' AND work < '${afterHolds}' AND until > ?1`;

/**
 * Keeps the collector of a running server from removing garbage, from another process. Objects that a copy of the catalog refers to stay in the store
 * while the hold lasts, whatever happens to their frames.
 */
export class GarbageHold {
  readonly #db: DatabaseSync;
  readonly #work = `${firstHold}${randomId()}`;
  readonly #timer: NodeJS.Timeout;
  #until = 0;

  /** The catalog must have the layout of this version: it is not changed, because a server may be running on it. */
  static take(path: string): GarbageHold {
    const db = new DatabaseSync(path);
    try {
      refuseOtherLayout(db, path);
      db.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}; PRAGMA synchronous = FULL`);
      return new GarbageHold(db);
    } catch (error) {
      db.close();
      throw error;
    }
  }

  private constructor(db: DatabaseSync) {
    this.#db = db;
    this.#renew();
    this.#timer = setInterval(() => this.#tryRenew(), renewEveryMs);
    this.#timer.unref();
  }

  /** Whether it has lasted without a gap until now. A process that was stopped for too long has lost it. */
  get isUnbroken(): boolean {
    return Date.now() < this.#until;
  }

  /** The catalog as it is at one moment, as a file of its own. The hold is not in it. */
  copyCatalog(target: string): void {
    this.#db.prepare('VACUUM INTO ?').run(target);
    const copy = new DatabaseSync(target);
    try {
      // The objects of files that parts do not have are not copied with it.
      copy.exec('DELETE FROM file_objects; DELETE FROM file_layouts');
      copy.prepare(`DELETE FROM claims WHERE work >= '${firstHold}' AND work < '${afterHolds}'`).run();
    } finally {
      copy.close();
    }
  }

  release(): void {
    clearInterval(this.#timer);
    try {
      this.#db.prepare('DELETE FROM claims WHERE work = ?').run(this.#work);
    } finally {
      this.#db.close();
    }
  }

  #renew(): void {
    const until = Date.now() + holdMs;
    this.#db
      .prepare(`
        INSERT INTO claims VALUES (?1, 'hold', ?2, 1) ON CONFLICT (work) DO UPDATE SET until = excluded.until`)
      .run(this.#work, until);
    this.#until = until;
  }

  /** A hold that has ended stays so. */
  #tryRenew(): void {
    if (!this.isUnbroken) return;
    try {
      this.#renew();
    } catch {
      // A busy catalog is tried again a minute later. If it stays busy, `isUnbroken` says so.
    }
  }
}

/** Objects of each page that is read of a copied catalog. */
const pageObjects = 1_000;

/** What the parts in a copied catalog have, by key. */
export function* objectsInCopy(path: string): Generator<readonly StoredObject[], void, void> {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const page = db.prepare(
      `SELECT key, bytes, sha256 FROM objects WHERE key > ? AND kind <> '${replacedKind}' ORDER BY key LIMIT ?`,
    );
    for (let last = ''; ; ) {
      const objects = page.all(last, pageObjects) as unknown as StoredObject[];
      if (objects.length === 0) return;
      yield objects.map(({ key, bytes, sha256 }) => ({ key, bytes, sha256 }));
      last = objects.at(-1)?.key ?? '';
    }
  } finally {
    db.close();
  }
}

/** Which keys a copied catalog refers to. */
export function openCopiedKeys(path: string): { has(key: string): boolean; close(): void } {
  const db = new DatabaseSync(path, { readOnly: true });
  const find = db.prepare('SELECT 1 FROM objects WHERE key = ?');
  return { has: (key) => find.get(key) !== undefined, close: () => db.close() };
}
