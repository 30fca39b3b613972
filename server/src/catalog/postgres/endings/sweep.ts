import { announce } from '../../../model/failpoints.ts';
import type { Sql, Transaction } from '../../../postgres/database.ts';
import { goneKeptMs } from '../../memory-times.ts';
import type { NameRow } from '../../name-rows.ts';
import {
  type PruningRound,
  pruningRounds,
  type Retention,
  retentionOf,
  versionsKept,
} from '../../rules/retention.ts';
import type { Events } from '../events/events.ts';
import type { Leases } from '../maintenance/leases.ts';
import type { History } from '../queries/history.ts';
import type { SignedLinks } from '../tenants/links.ts';
import type { Transactions } from '../transactions.ts';
import type { Attempts } from '../versions/attempts.ts';
import type { FileLayouts } from '../versions/file-layouts.ts';
import type { IdempotencyKeys } from '../versions/idempotency.ts';
import type { Pins } from '../versions/pins.ts';
import type { Schemas } from '../versions/schemas.ts';
import type { Dropped } from './dropped.ts';
import type { Endings } from './endings.ts';

/** Looked up at once; each is then a transaction of its own. */
const stepNamesMax = 200;
/** Of them, at once: a transaction mostly waits for the database. The others of its connections are for callers. */
const atOnceMax = 4;
/** Deleted in one transaction: some milliseconds. */
const stepRowsMax = 2000;

export interface SweepTables {
  readonly endings: Endings;
  readonly dropped: Dropped;
  readonly keys: IdempotencyKeys;
  readonly attempts: Attempts;
  readonly leases: Leases;
  readonly events: Events;
  readonly links: SignedLinks;
  readonly history: History;
  readonly schemas: Schemas;
  readonly files: FileLayouts;
  readonly pins: Pins;
}

/** Which names a round looks at, the first ones first. */
const pruningsDue: Readonly<Record<PruningRound['due'], readonly [condition: string, order: string]>> = {
  surplus: ['versions_keep IS NULL AND kept - pinned > 1 AND kept - pinned > $1', 'kept - pinned'],
  'own surplus': [
    'versions_keep IS NOT NULL AND kept - pinned > versions_keep AND $1::bigint IS NOT NULL',
    'kept',
  ],
  age: ['kept - pinned > 1 AND oldest_at < $1', 'oldest_at'],
  pins: ['pins_until IS NOT NULL AND pins_until <= $1', 'pins_until'],
};

type Forget = (sql: Transaction, limit: number) => Promise<number>;

/**
 * Ends what has expired, one name in each transaction: so that nobody waits long, and no transaction holds the rows of two tenants. A name
 * that another change holds is left for the next time, also if that change is another node's sweep.
 */
export class Sweep {
  readonly #tables: SweepTables;

  constructor(tables: SweepTables) {
    this.#tables = tables;
  }

  async sweep(
    database: Transactions,
    versionsKeep: number,
    versionsSince: number | null,
    now: number,
    onExpired: (tenant: string, name: string) => void,
  ): Promise<void> {
    await this.#expire(database, now, onExpired);
    await this.#prune(database, retentionOf(versionsKeep, versionsSince), now);
    await this.#releaseDropped(database, now);
    await this.#forget(database, now);
  }

  async #expire(
    database: Transactions,
    now: number,
    onExpired: (tenant: string, name: string) => void,
  ): Promise<void> {
    const due = 'expires_at IS NOT NULL AND expires_at <= $1';
    await eachName(database, due, 'expires_at', now, async (id) => {
      const row = await database.change(async (sql) => {
        const locked = await lockIf(sql, id, due, now);
        if (locked) await this.#tables.endings.expire(sql, locked, now);
        if (locked) announce('sweep:expired');
        return locked;
      });
      if (row) announce('sweep:recorded');
      if (row) onExpired(row.tenant, row.name);
      return row !== undefined;
    });
  }

  /** What earlier sweeps have left because it is pinned does not count: with a hundred thousand such names a sweep finds none of them. */
  async #prune(database: Transactions, retention: Retention, now: number): Promise<void> {
    for (const { due, limit } of pruningRounds(retention, now)) {
      const [condition, order] = pruningsDue[due];
      await eachName(database, condition, order, limit, (id) =>
        database.change(async (sql) => {
          const row = await lockIf(sql, id, condition, limit);
          const { since } = retention;
          if (row) await this.#tables.endings.prune(sql, row, versionsKept(row, retention), since, now);
          if (row) announce('sweep:pruned');
          return row !== undefined;
        }),
      );
    }
  }

  async #releaseDropped(database: Transactions, now: number): Promise<void> {
    const { dropped } = this.#tables;
    await eachOf(
      () => database.read((sql) => dropped.past(sql, now, stepNamesMax)),
      (id) => database.change((sql) => dropped.releaseOne(sql, id)),
    );
  }

  async #forget(database: Transactions, now: number): Promise<void> {
    const { keys, attempts, leases, events, links, history, schemas, files, pins } = this.#tables;
    const all: readonly Forget[] = [
      (sql, limit) => forgetTombstones(sql, now, limit),
      (sql, limit) => keys.forgetOld(sql, now, limit),
      (sql, limit) => attempts.forgetOld(sql, now, limit),
      (sql, limit) => leases.forgetOld(sql, now, limit),
      (sql, limit) => events.forgetOld(sql, now, limit),
      (sql, limit) => links.forgetExpired(sql, now, limit),
      (sql, limit) => history.forgetOld(sql, now, limit),
      (sql, limit) => files.endUnused(sql, now, limit),
      (sql, limit) => pins.forgetPast(sql, now, limit),
    ];
    for (const forget of all)
      while ((await database.change((sql) => forget(sql, stepRowsMax))) >= stepRowsMax);
    await database.change((sql) => schemas.removeLeft(sql));
  }
}

/** Ends each of the names that are due. */
function eachName(
  database: Transactions,
  due: string,
  order: string,
  limit: number,
  end: (id: number) => Promise<boolean>,
): Promise<void> {
  const page = (sql: Sql) =>
    sql.rows<{ id: number }>(`SELECT id FROM names WHERE ${due} ORDER BY ${order} LIMIT ${stepNamesMax}`, [
      limit,
    ]);
  return eachOf(async () => (await database.read(page)).map((row) => row.id), end);
}

/** Page by page, as long as there are full ones and they get done: a page of names that are all locked would come again for ever. */
async function eachOf(
  page: () => Promise<readonly number[]>,
  end: (id: number) => Promise<boolean>,
): Promise<void> {
  for (;;) {
    const ids = await page();
    let done = 0;
    const left = ids.values();
    const endSome = async () => {
      for (const id of left) if (await end(id)) done += 1;
    };
    await allOf(Array.from({ length: atOnceMax }, endSome));
    if (ids.length < stepNamesMax || done === 0) return;
  }
}

/** As Promise.all, but nothing is under way any more when it rejects. */
async function allOf(all: readonly Promise<void>[]): Promise<void> {
  const ends = await Promise.allSettled(all);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
}

/** Locks the name if it is still due, and if nobody else holds it. */
function lockIf(sql: Transaction, id: number, due: string, limit: number): Promise<NameRow | undefined> {
  return sql.first<NameRow>(
    `SELECT id, tenant, name, frame_id, next_version, newest, kept, expires_at, ended_reason, ended_at, life, versions_keep
    FROM names WHERE ${due} AND id = $2 FOR NO KEY UPDATE SKIP LOCKED`,
    [limit, id],
  );
}

function forgetTombstones(sql: Transaction, now: number, limit: number): Promise<number> {
  return sql.run(
    `DELETE FROM tombstones WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM tombstones WHERE ended_at <= $1 LIMIT $2 FOR UPDATE SKIP LOCKED))`,
    [now - goneKeptMs, limit],
  );
}
