import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../model/clock.ts';
import { FrameholdError } from '../model/errors.ts';
import { randomId } from '../model/handle.ts';
import type { NodeAddress, Nodes } from '../ports/nodes.ts';
import type { Database, Transaction } from '../postgres/database.ts';
import { describeNewer, type NewerTables, newerTables } from '../postgres/migrations.ts';

export interface NodeDescription extends NodeAddress {
  readonly httpUrl: string | null;
  /** Of this program. */
  readonly release: string;
  /** The last one that it knows. */
  readonly migration: number;
}

/** A row of the table, written this often. Each time the node looks whether a newer server has changed the tables. */
const heartbeatMs = 2_000;
/** Four heartbeats may be late or lost. */
export const aliveMs = 10_000;
/** For people who look into the table. Nodes may have a new id at every start. */
const keptMs = 60 * 60_000;
/** Limits of tenants are divided, and frames distributed, among so many; a catalog carries far fewer. */
const nodesMax = 1_000;

/** The nodes that share a database, each with a row that it renews. */
export class RegisteredNodes implements Nodes {
  readonly self: NodeAddress;
  readonly #database: Database;
  readonly #description: NodeDescription;
  readonly #now: Clock;
  readonly #startedAt: number;
  readonly #run = randomId();
  readonly #stop = new AbortController();
  #live: readonly NodeAddress[];
  #hasNamesake = false;
  #number = 0;
  /** Called once, when a newer server has changed the tables so that this one cannot use them. The database refuses everything then. */
  onOutdated: (reason: FrameholdError) => void = () => {};
  #beating: Promise<void> = Promise.resolve();
  #isWithdrawn = false;
  #withdrawing: Promise<void> = Promise.resolve();

  /** Resolves when the others can see this node. */
  static async open(database: Database, self: NodeDescription, now: Clock): Promise<RegisteredNodes> {
    const nodes = new RegisteredNodes(database, self, now);
    await nodes.#beat(true);
    nodes.#beating = nodes.#keepBeating();
    return nodes;
  }

  private constructor(database: Database, self: NodeDescription, now: Clock) {
    this.self = { id: self.id, advertisedUrl: self.advertisedUrl };
    this.#database = database;
    this.#description = self;
    this.#now = now;
    this.#startedAt = now();
    this.#live = [this.self];
  }

  /** Another for each start; 1 to 2,047. */
  get number(): number {
    return this.#number;
  }

  live(): readonly NodeAddress[] {
    return this.#live;
  }

  /** Throws unavailable if another node has the same id: each would end what the other has begun. */
  check(): void {
    if (!this.#hasNamesake) return;
    throw new FrameholdError('unavailable', `Another node has the id ${JSON.stringify(this.self.id)}, too.`, {
      hint: 'Give each node a node.id of its own, or none.',
    });
  }

  /**
   * This node is about to stop: clients are no longer given its own address, by any node after its next heartbeat. It is still alive: statements
   * and leases are its own until it has ended.
   */
  withdraw(): void {
    this.#isWithdrawn = true;
    this.#live = [this.#ownAddress, ...this.#live.filter(({ id }) => id !== this.self.id)];
    this.#withdrawing = this.#beat(false).catch(() => {});
  }

  /** The others no longer count this node. */
  async close(): Promise<void> {
    this.#stop.abort();
    await Promise.all([this.#beating, this.#withdrawing]);
    const leave = 'DELETE FROM nodes WHERE id = $1 AND run = $2';
    // Without an answer the row is too old in a few seconds.
    await this.#database.change((sql) => sql.run(leave, [this.self.id, this.#run])).catch(() => {});
  }

  get #ownAddress(): NodeAddress {
    return this.#isWithdrawn ? { ...this.self, advertisedUrl: null } : this.self;
  }

  async #keepBeating(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(heartbeatMs, undefined, { signal, ref: false }).catch(() => {});
      // While the database does not answer, the others are assumed to be where they were.
      if (!signal.aborted) await this.#beat(false).catch(() => {});
    }
  }

  async #beat(isFirst: boolean): Promise<void> {
    const now = this.#now();
    const seen = await this.#database.change((sql) => this.#renew(sql, now));
    if ('runsWith' in seen) {
      this.#leave(seen, isFirst);
      return;
    }
    const { before, others, number } = seen;
    this.#number = number;
    this.#live = [
      this.#ownAddress,
      ...others.map((other) => ({ id: other.id, advertisedUrl: other.advertised_url })),
    ];
    // At a start it is the row of the run before.
    this.#hasNamesake = !isFirst && before !== undefined && before !== this.#run;
  }

  /** The row of a node that is too old stays as it is: the others see it grow old, and people see why. */
  async #renew(sql: Transaction, now: number) {
    const { id, httpUrl, release, migration } = this.#description;
    const { advertisedUrl } = this.#ownAddress;
    const [own, newer] = await Promise.all([
      sql.first<{ run: string; number: number }>('SELECT run, number FROM nodes WHERE id = $1 FOR UPDATE', [
        id,
      ]),
      newerTables(sql, migration),
    ]);
    if (newer !== null) return newer;
    const number = own?.run === this.#run ? own.number : await nextNumber(sql);
    sql.send(
      `INSERT INTO nodes (id, run, advertised_url, http_url, release, migration, started_at, seen_at, number)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
       ON CONFLICT (id) DO UPDATE SET run = excluded.run, advertised_url = excluded.advertised_url,
         http_url = excluded.http_url, release = excluded.release, migration = excluded.migration,
         started_at = excluded.started_at, seen_at = excluded.seen_at, number = excluded.number`,
      [id, this.#run, advertisedUrl, httpUrl, release, migration, this.#startedAt, now, number],
    );
    sql.send('DELETE FROM nodes WHERE seen_at < $1', [now - keptMs]);
    const others = await sql.rows<{ id: string; advertised_url: string | null }>(
      'SELECT id, advertised_url FROM nodes WHERE seen_at > $1 AND id <> $2 ORDER BY id LIMIT $3',
      [now - aliveMs, id, nodesMax],
    );
    return { others, before: own?.run, number };
  }

  #leave(newer: NewerTables, isFirst: boolean): void {
    const reason = new FrameholdError('unavailable', describeNewer(newer, this.#description.migration), {
      hint: 'Another node answers. The operator stops this one and starts the newer server in its place.',
    });
    if (isFirst) throw reason;
    this.#stop.abort();
    this.#database.refuse(reason);
    this.onOutdated(reason);
  }
}

async function nextNumber(sql: Transaction): Promise<number> {
  const row = await sql.first<{ number: number }>("SELECT nextval('node_numbers')::integer AS number", []);
  return row?.number ?? 0;
}
