import { randomBytes } from 'node:crypto';
import { FrameholdError } from '../../frames/errors.ts';
import type { Clock } from '../../frames/ports/clock.ts';
import type { Changed } from '../../frames/ports/credential-source.ts';
import type { LinkKey, LinkKeys } from '../../frames/ports/link-keys.ts';
import type { Database } from '../../postgres/database.ts';
import { Followed } from '../followed.ts';
import { mintId } from '../token.ts';
import { readMark } from './access-marks.ts';

const keyBytes = 32;
/** A node that has not looked for this long refuses requests anyway, so no link comes before its key is known. */
const knownAfterMs = 5_000;
/** More would only be left behind by a program that makes keys in a loop; nodes hold all of them in memory. */
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
      { everyMs: 1_000, distant: { freshMs: knownAfterMs, endsMs: knownAfterMs } },
    );
  }

  get newest(): LinkKey {
    const now = this.#now();
    // The first key of all signs at once: there is no other, and nobody has a link.
    const own = this.#keys.filter(({ id }) => id !== unnamedKey);
    const newest = own.find(({ signsFrom }) => signsFrom <= now) ?? own.at(-1);
    if (newest !== undefined) return newest;
    throw new FrameholdError('unavailable', 'The key that links are signed with was removed a moment ago.', {
      hint: 'Try again in a moment: a new one is made.',
    });
  }

  find(id: string | null): LinkKey | null {
    return this.#keys.find((key) => key.id === (id ?? unnamedKey)) ?? null;
  }

  /** From a few seconds on, new links are signed with a new key. Those that were signed before stay in force. */
  async rotate(): Promise<void> {
    await this.#add(false, knownAfterMs);
    await this.#followed.lookAnew();
  }

  close(): void {
    this.#followed.close();
  }

  #makeFirst(): Promise<void> {
    return this.#add(true, 0);
  }

  async #add(onlyFirst: boolean, laterMs: number): Promise<void> {
    const key = { id: mintId(), bytes: randomBytes(keyBytes) };
    await this.#database.change(async (sql) => {
      await sql.rows('SELECT 1 FROM access_marks WHERE id = 1 FOR UPDATE');
      const counted = await sql.first<{ count: number }>(
        "SELECT count(*) AS count FROM link_keys WHERE id <> ''",
      );
      const count = counted?.count ?? 0;
      if (onlyFirst && count > 0) return;
      if (count >= keysMax)
        throw new FrameholdError(
          'overloaded',
          `There are ${count} keys for links, which is as many as are kept.`,
          {
            hint: 'Remove old rows of the table link_keys: the links that were signed with them end.',
          },
        );
      sql.send('INSERT INTO link_keys VALUES ($1, $2, $3)', [key.id, key.bytes, this.#now() + laterMs]);
    });
  }

  async #since(mark: number | null): Promise<Changed<readonly KeyRow[]> | null> {
    return this.#database.read(async (sql) => {
      const newest = await readMark(sql, 'link_keys');
      if (newest === mark) return null;
      const content = await sql.rows<KeyRow>('SELECT * FROM link_keys ORDER BY signs_from DESC, id');
      return { mark: newest, content };
    });
  }

  #take(rows: readonly KeyRow[]): void {
    this.#keys = rows.map(({ id, bytes, signs_from }) => ({ id, bytes, signsFrom: signs_from }));
    // All were removed, which ends all links. The next look finds the new one, or tries again.
    if (rows.every(({ id }) => id === unnamedKey)) void this.#makeFirst().catch(() => {});
  }
}
