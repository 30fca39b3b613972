import { LruCache } from '../base/lru-cache.ts';
import type { Clock } from '../model/clock.ts';
import { defaultEngine, type EngineName } from '../model/engine-name.ts';
import { FrameholdError } from '../model/errors.ts';
import type {
  BoundParameters,
  PreparedLimits,
  PreparedStatement,
  PreparedStatements,
  SqlDescription,
} from '../ports/prepared-statements.ts';
import type { Database, Transaction } from '../postgres/database.ts';
import { engineOfHandle, preparedHandle } from './prepared-handle.ts';
import {
  absentStatement,
  bytesOf,
  dispensable,
  type WeighedStatement,
  withDefaults,
} from './prepared-limits.ts';

interface StatementRow {
  readonly change: number;
  readonly used_at: number;
  readonly described_at: number;
  readonly is_query: boolean;
  /** null if the copy of this node is right, and so are the following. */
  readonly sql: string | null;
  readonly schema: Uint8Array | null;
  readonly parameter_schema: Uint8Array | null;
  readonly parameters: Uint8Array | null;
}

/** A use is written only if the last one is older than this share of the idle time. */
const useShare = 1 / 60;
/** A connection has a few statements in use. A copy that is not here is read again. */
const copyLimits = { entriesMax: 1_000, bytesMax: 16 * 1024 * 1024 };
/** How many can be trimmed at once. What is above that goes with the next one that is added. */
const trimMax = 10_000;

/** A prepared statement as this node has last seen it. */
interface Copy {
  readonly statement: PreparedStatement;
  readonly change: number;
}

/**
 * Prepared statements as rows, so that each call of a client may reach another node. A node keeps copies, and asks with every use whether its copy
 * is still right. The limits are those of all nodes together.
 */
export class SharedPreparedStatements implements PreparedStatements {
  readonly #database: Database;
  readonly #now: Clock;
  readonly #limits: Required<PreparedLimits>;
  readonly #copies = new LruCache<Copy>(copyLimits);
  /** At the last count, and what this node has added since. */
  #counted = { count: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
  #added = { count: 0, bytes: 0 };

  constructor(database: Database, limits: PreparedLimits, now: Clock) {
    this.#database = database;
    this.#limits = withDefaults(limits);
    this.#now = now;
  }

  get countMax(): number {
    return this.#limits.countMax;
  }

  get idleMs(): number {
    return this.#limits.idleMs;
  }

  async add(
    tenant: string,
    sql: string,
    description: SqlDescription,
    engine: EngineName = defaultEngine,
  ): Promise<PreparedStatement> {
    const now = this.#now();
    const statement: PreparedStatement = {
      handle: preparedHandle(engine),
      tenant,
      sql,
      engine,
      description,
      describedAt: now,
      parameters: null,
    };
    const bytes = bytesOf(statement);
    const { isQuery, schemaMessage, parameterSchemaMessage } = description;
    await this.#change(async (change) => {
      change.send(
        `INSERT INTO prepared_statements
           (handle, tenant, sql, is_query, schema, parameter_schema, bytes, described_at, used_at)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8) ON CONFLICT (handle) DO NOTHING`,
        [
          statement.handle,
          tenant,
          sql,
          isQuery,
          bufferOf(schemaMessage),
          bufferOf(parameterSchemaMessage),
          bytes,
          now,
        ],
      );
      await this.#trim(change, statement.handle, { count: 1, bytes });
    });
    this.#copies.set(statement.handle, { statement, change: 1 }, bytes);
    return statement;
  }

  async get(tenant: string, handle: string): Promise<PreparedStatement> {
    const copy = this.#copies.get(handle);
    const now = this.#now();
    const row = await this.#database.read((sql) =>
      sql.first<StatementRow>(
        `SELECT change, used_at, described_at, is_query,
           CASE WHEN change <> $4 THEN sql END AS sql,
           CASE WHEN change <> $4 THEN schema END AS schema,
           CASE WHEN change <> $4 THEN parameter_schema END AS parameter_schema,
           CASE WHEN change <> $4 THEN parameters END AS parameters
         FROM prepared_statements WHERE handle = $1 AND tenant = $2 AND used_at >= $3`,
        [handle, tenant, now - this.#limits.idleMs, copy?.change ?? 0],
      ),
    );
    if (row === undefined) {
      this.#copies.delete(handle);
      throw absentStatement();
    }
    if (now - row.used_at > this.#limits.idleMs * useShare) await this.#use(handle, now);
    if (copy !== undefined && row.sql === null) return copy.statement;
    const statement = statementOf(tenant, handle, row);
    this.#copies.set(handle, { statement, change: row.change }, bytesOf(statement));
    return statement;
  }

  async bind(statement: PreparedStatement, parameters: BoundParameters | null): Promise<void> {
    const { handle, tenant } = statement;
    const bytes = bytesOf({ ...statement, parameters });
    await this.#change(async (sql) => {
      const changed = await sql.run(
        `UPDATE prepared_statements SET parameters = $3, bytes = $4, change = random_mark()
         WHERE handle = $1 AND tenant = $2`,
        [handle, tenant, bufferOf(parameters?.stream ?? null), bytes],
      );
      if (changed > 0) await this.#trim(sql, handle, { count: 0, bytes });
    });
  }

  async describe(statement: PreparedStatement, description: SqlDescription): Promise<void> {
    const { handle, tenant } = statement;
    const { isQuery, schemaMessage, parameterSchemaMessage } = description;
    await this.#change(async (sql) => {
      sql.send(
        `UPDATE prepared_statements
         SET is_query = $3, schema = $4, parameter_schema = $5, described_at = $6, bytes = $7, change = random_mark()
         WHERE handle = $1 AND tenant = $2`,
        [
          handle,
          tenant,
          isQuery,
          bufferOf(schemaMessage),
          bufferOf(parameterSchemaMessage),
          this.#now(),
          bytesOf({ ...statement, description }),
        ],
      );
    });
  }

  async close(tenant: string, handle: string): Promise<void> {
    await this.#change(async (sql) => {
      sql.send('DELETE FROM prepared_statements WHERE handle = $1 AND tenant = $2', [handle, tenant]);
    });
  }

  isOlderThan(statement: PreparedStatement, ms: number): boolean {
    return this.#now() - statement.describedAt > ms;
  }

  async #use(handle: string, now: number): Promise<void> {
    await this.#change(async (sql) => {
      sql.send('UPDATE prepared_statements SET used_at = $2 WHERE handle = $1', [handle, now]);
    });
  }

  /**
   * Does not wait for the disk of the database: what is lost with it is prepared again. Every change can be made twice, so one whose outcome
   * is unknown is repeated.
   */
  async #change(work: (sql: Transaction) => Promise<void>): Promise<void> {
    const once = () =>
      this.#database.change(async (sql) => {
        sql.send('SET LOCAL synchronous_commit = off');
        await work(sql);
      });
    try {
      await once();
    } catch (error) {
      if (!(error instanceof FrameholdError) || error.kind !== 'outcome_unknown') throw error;
      await once();
    }
  }

  /** Counts only if there may be too many: counting a large table takes milliseconds. */
  async #trim(
    sql: Transaction,
    kept: string,
    more: { readonly count: number; readonly bytes: number },
  ): Promise<void> {
    const { countMax, bytesMax, idleMs } = this.#limits;
    this.#added = { count: this.#added.count + more.count, bytes: this.#added.bytes + more.bytes };
    const mayBeTooMany = this.#counted.count * 2 >= countMax || this.#added.count * 16 >= countMax;
    const mayBeTooLarge = this.#counted.bytes * 2 >= bytesMax || this.#added.bytes * 16 >= bytesMax;
    if (!(mayBeTooMany && more.count > 0) && !mayBeTooLarge) return;
    sql.send('DELETE FROM prepared_statements WHERE used_at < $1', [this.#now() - idleMs]);
    const counted = await sql.first<{ count: number; bytes: number }>(
      'SELECT count(*) AS count, coalesce(sum(bytes), 0) AS bytes FROM prepared_statements',
    );
    this.#counted = counted ?? { count: 0, bytes: 0 };
    this.#added = { count: 0, bytes: 0 };
    if (this.#counted.count <= countMax && this.#counted.bytes <= bytesMax) return;
    const held = await sql.rows<WeighedStatement>(
      'SELECT handle, tenant, bytes FROM prepared_statements ORDER BY used_at, handle LIMIT $1',
      [countMax + trimMax],
    );
    const gone = dispensable(held, kept, this.#limits).map(({ handle }) => handle);
    sql.send('DELETE FROM prepared_statements WHERE handle = ANY($1)', [gone]);
  }
}

function statementOf(tenant: string, handle: string, row: StatementRow): PreparedStatement {
  const { sql, is_query, schema, parameter_schema, parameters, described_at } = row;
  return {
    handle,
    tenant,
    sql: sql ?? '',
    engine: engineOfHandle(handle),
    description: {
      isQuery: is_query,
      schemaMessage: schema,
      parameterSchemaMessage: parameter_schema ?? new Uint8Array(0),
    },
    describedAt: described_at,
    parameters: parameters === null ? null : { kind: 'arrow', stream: parameters },
  };
}

function bufferOf(bytes: Uint8Array | null): Buffer | null {
  return bytes === null ? null : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
