import { randomBytes } from 'node:crypto';
import type { Clock } from '../../model/clock.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { Changed } from '../../ports/credential-source.ts';
import type { LinkKey, LinkKeys } from '../../ports/link-keys.ts';
import type { Database } from '../../postgres/database.ts';
import { Followed } from '../followed.ts';
import { mintId } from '../token.ts';
import { readMark } from './access-marks.ts';

const keyBytes = 32;
/** A new key signs five seconds after it was made (docs/reference/access.md): by then every node knows it. */
const lookEveryMs = 1_000;
/** Nodes hold them in memory. Older ones than these no longer count. */
const keysMax = 1_000;

/** Of links from a data directory that was migrated: they name no key. Nothing is signed with it. */
const unnamedKey = '';

interface KeyRow {
  readonly id: string;
  readonly bytes: Uint8Array;
  readonly signs_from: number;
}

/** Keys in the database that all nodes share. Links name theirs, so that a key can follow another while links of both are in force. */
export class PostgresLinkKeys implements LinkKeys {
  readonly #database: Database;
  readonly #now: Clock;
  readonly #followed: Followed<readonly KeyRow[]>;
  /** By the time from which they sign, the newest first. */
  #keys: readonly (LinkKey & { readonly signsFrom: number })[] = [];

  static async open(database: Database, now: Clock): Promise<PostgresLinkKeys> {
    const keys = new PostgresLinkKeys(database, now);
    await keys.#makeFirst();
    await keys.#followed.lookNow();
    return keys;
  }

  private constructor(database: Database, now: Clock) {
    this.#database = database;
    this.#now = now;
    this.#followed = new Followed(
      (mark) => this.#since(mark),
      (rows) => this.#take(rows),
      { everyMs: lookEveryMs, distant: { freshMs: lookEveryMs, endsMs: lookEveryMs } },
    );
  }

  get newest(): LinkKey {
    const now = this.#now();
    // The first key of all signs at once: there is no other, and nobody has a link.
    const own = this.#keys.filter(({ id }) => id !== unnamedKey);
    const newest = own.find(({ signsFrom }) => signsFrom <= now) ?? own.at(-1);
    if (newest !== undefined) return newest;
    throw new FrameholdError('unavailable', 'The key that links are signed with was removed a moment ago.', {
      hint: 'Retry in a moment: a new one is being generated.',
    });
  }

  find(id: string | null): LinkKey | null {
    return this.#keys.find((key) => key.id === (id ?? unnamedKey)) ?? null;
  }

  close(): void {
    this.#followed.close();
  }

  /** Whichever node comes first makes it. */
  async #makeFirst(): Promise<void> {
    const key = { id: mintId(), bytes: randomBytes(keyBytes) };
    await this.#database.change(async (sql) => {
      await sql.rows('SELECT 1 FROM access_marks WHERE id = 1 FOR UPDATE');
      sql.send(
        "INSERT INTO link_keys SELECT $1, $2, $3 WHERE NOT EXISTS (SELECT 1 FROM link_keys WHERE id <> '')",
        [key.id, key.bytes, this.#now()],
      );
    });
  }

  async #since(mark: number | null): Promise<Changed<readonly KeyRow[]> | null> {
    return this.#database.read(async (sql) => {
      const newest = await readMark(sql, 'link_keys');
      if (newest === mark) return null;
      const content = await sql.rows<KeyRow>(
        'SELECT * FROM link_keys ORDER BY signs_from DESC, id LIMIT $1',
        [keysMax],
      );
      return { mark: newest, content };
    });
  }

  #take(rows: readonly KeyRow[]): void {
    this.#keys = rows.map(({ id, bytes, signs_from }) => ({ id, bytes, signsFrom: signs_from }));
    // All were removed, which ends all links. The next look finds the new one, or tries again.
    if (rows.every(({ id }) => id === unnamedKey)) void this.#makeFirst().catch(() => {});
  }
}
