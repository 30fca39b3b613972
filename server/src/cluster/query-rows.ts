import type { EngineName } from '../model/engine-name.ts';
import type { ErrorKind, TextPlace } from '../model/errors.ts';
import type { OpenQuery, QueryState } from '../ports/running-queries.ts';
import type { Database, Transaction } from '../postgres/database.ts';
import { type FailedQuery, failureKeptMs, failuresMax, failuresOfTenantMax } from './failed-queries.ts';
import { aliveMs } from './registered-nodes.ts';

/** As many as one node keeps. A list of more would be of use to nobody. */
const listedMax = 10_000;
/** Rows of nodes that have not been seen for so long are removed. */
const forgottenMs = 60_000;

export type QueryRow = Pick<
  OpenQuery,
  'tenant' | 'id' | 'sql' | 'engine' | 'state' | 'rows' | 'startedAt'
> & {
  readonly progress: number | null;
};

interface StoredRow {
  readonly tenant: string;
  readonly id: string;
  readonly sql: string;
  readonly engine: EngineName;
  readonly state: QueryState['state'];
  readonly rows: number;
  readonly progress: number | null;
  readonly started_at: number;
}

/** What a node writes at once. */
export interface QueryChanges {
  readonly written: readonly QueryRow[];
  readonly ended: readonly { readonly tenant: string; readonly id: string }[];
  readonly failed: readonly FailedQuery[];
}

/** The tables of statements under way and of those that have failed, as one node uses them. */
export class QueryRows {
  readonly #database: Database;
  readonly #node: string;

  constructor(database: Database, node: string) {
    this.#database = database;
    this.#node = node;
  }

  /** Can be repeated. */
  write({ written, ended, failed }: QueryChanges): Promise<void> {
    return this.#database.change(async (sql) => {
      // First: another statement may have begun with the id of one that has ended.
      if (ended.length > 0)
        sql.send(
          `DELETE FROM running_queries q USING unnest($2::text[], $3::text[]) AS e (tenant, id)
           WHERE q.node = $1 AND q.tenant = e.tenant AND q.id = e.id`,
          [this.#node, ended.map(({ tenant }) => tenant), ended.map(({ id }) => id)],
        );
      if (written.length > 0) this.#sendWritten(sql, written);
      if (failed.length > 0) sendFailed(sql, failed);
    });
  }

  /** The statements of this node that have rows. */
  own(): Promise<readonly { tenant: string; id: string; is_cancelled: boolean }[]> {
    return this.#database.read((sql) =>
      sql.rows('SELECT tenant, id, is_cancelled FROM running_queries WHERE node = $1', [this.#node]),
    );
  }

  /** Those of this node's earlier run, or of its last moments. */
  removeOwn(): Promise<number> {
    return this.#database.change((sql) =>
      sql.run('DELETE FROM running_queries WHERE node = $1', [this.#node]),
    );
  }

  async removeForgotten(now: number): Promise<void> {
    await this.#database.change(async (sql) => {
      sql.send(`DELETE FROM running_queries WHERE node NOT IN (SELECT id FROM nodes WHERE seen_at > $1)`, [
        now - forgottenMs,
      ]);
      sql.send('DELETE FROM failed_queries WHERE ended_at < $1', [now - failureKeptMs]);
    });
  }

  /** Of other nodes that are alive. null: of all tenants; with all ids. */
  async others(tenant: string | null, id: string | null, now: number): Promise<readonly QueryRow[]> {
    const rows = await this.#database.read((sql) =>
      sql.rows<StoredRow>(
        `SELECT q.tenant, q.id, q.sql, q.engine, q.state, q.rows, q.progress, q.started_at
         FROM running_queries q JOIN nodes n ON n.id = q.node
         WHERE q.node <> $1 AND n.seen_at > $2
           AND ($3::text IS NULL OR q.tenant = $3) AND ($4::text IS NULL OR q.id = $4)
         ORDER BY q.started_at, q.tenant, q.id LIMIT $5`,
        [this.#node, now - aliveMs, tenant, id, listedMax],
      ),
    );
    return rows.map(({ started_at, ...row }) => ({ ...row, startedAt: started_at }));
  }

  async countOthers(now: number): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#database.read((sql) =>
      sql.rows<{ tenant: string; count: number }>(
        `SELECT q.tenant, count(*) AS count FROM running_queries q JOIN nodes n ON n.id = q.node
         WHERE q.node <> $1 AND n.seen_at > $2 GROUP BY q.tenant`,
        [this.#node, now - aliveMs],
      ),
    );
    return new Map(rows.map(({ tenant, count }) => [tenant, count]));
  }

  async failed(tenant: string | null, id: string, now: number): Promise<readonly FailedQuery[]> {
    const rows = await this.#database.read((sql) =>
      sql.rows<{
        tenant: string;
        id: string;
        started_at: number;
        ended_at: number;
        rows: number;
        error: string;
      }>(
        `SELECT * FROM failed_queries WHERE id = $2 AND ($1::text IS NULL OR tenant = $1) AND ended_at > $3`,
        [tenant, id, now - failureKeptMs],
      ),
    );
    return rows.map(({ started_at, ended_at, error, ...row }) => ({
      ...row,
      startedAt: started_at,
      endedAt: ended_at,
      error: failureIn(error),
    }));
  }

  /** False if no other node has it. */
  async cancel(tenant: string, id: string): Promise<boolean> {
    const count = await this.#database.change((sql) =>
      sql.run('UPDATE running_queries SET is_cancelled = true WHERE tenant = $1 AND id = $2 AND node <> $3', [
        tenant,
        id,
        this.#node,
      ]),
    );
    return count > 0;
  }

  #sendWritten(sql: Transaction, written: readonly QueryRow[]): void {
    sql.send(
      `INSERT INTO running_queries (node, tenant, id, sql, engine, state, rows, progress, started_at)
       SELECT $1, * FROM unnest(
         $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::float8[], $9::bigint[])
       ON CONFLICT (node, tenant, id)
       DO UPDATE SET state = excluded.state, rows = excluded.rows, progress = excluded.progress`,
      [
        this.#node,
        written.map(({ tenant }) => tenant),
        written.map(({ id }) => id),
        // PostgreSQL's texts have no NUL.
        written.map((row) => row.sql.replaceAll('\0', '�')),
        written.map(({ engine }) => engine),
        written.map(({ state }) => state),
        written.map(({ rows }) => rows),
        written.map(({ progress }) => progress),
        written.map(({ startedAt }) => startedAt),
      ],
    );
  }
}

/** No more are kept than by one node alone: a tenant that sends bad statements in a loop must not fill the table. */
function sendFailed(sql: Transaction, failed: readonly FailedQuery[]): void {
  sql.send(
    `INSERT INTO failed_queries (tenant, id, started_at, ended_at, rows, error)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::text[])
     ON CONFLICT (tenant, id) DO UPDATE
     SET started_at = excluded.started_at, ended_at = excluded.ended_at, rows = excluded.rows, error = excluded.error`,
    [
      failed.map(({ tenant }) => tenant),
      failed.map(({ id }) => id),
      failed.map(({ startedAt }) => startedAt),
      failed.map(({ endedAt }) => endedAt),
      failed.map(({ rows }) => rows),
      failed.map(({ error }) => JSON.stringify(error).replaceAll('\\u0000', '�')),
    ],
  );
  sql.send(
    `DELETE FROM failed_queries WHERE (tenant, id) IN (
       SELECT tenant, id FROM (
         SELECT tenant, id, row_number() OVER (PARTITION BY tenant ORDER BY ended_at DESC) AS of_tenant,
           row_number() OVER (ORDER BY ended_at DESC) AS of_all
         FROM failed_queries) ranked
       WHERE of_tenant > $1 OR of_all > $2)`,
    [failuresOfTenantMax, failuresMax],
  );
}

function failureIn(text: string): FailedQuery['error'] {
  const { kind, detail, hint, place } = JSON.parse(text) as {
    kind: ErrorKind;
    detail: string;
    hint?: string;
    place?: TextPlace;
  };
  return { kind, detail, hint, place };
}
