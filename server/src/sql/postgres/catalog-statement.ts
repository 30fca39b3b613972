import { describeColumn } from '../../arrow/schema/column-types.ts';
import { withWideIntegers } from '../../arrow/schema/wide-integers.ts';
import type { Caller } from '../../model/caller.ts';
import { defaultEngine } from '../../model/engine-name.ts';
import type {
  BoundStatement,
  EngineStatement,
  PostgresSession,
  StatementParameters,
} from '../../ports/engine.ts';
import type { SqlDescription } from '../../ports/prepared-statements.ts';
import { schemaOf } from '../changes/result-schema.ts';
import { queryIdOf, RunningStatement } from '../running-statement.ts';
import type { SqlOutcome, Statement, StatementOptions } from '../sql.ts';
import type { StatementContext } from '../statement.ts';
import { admitted } from '../statement-resources.ts';
import type { StatementTables } from '../tables/statement-tables.ts';
import type { CatalogSnapshots } from './catalog-snapshots.ts';

export interface CatalogStatementText {
  /** As the client has sent it. */
  readonly written: string;
  /** As the engine takes it. */
  readonly text: string;
}

/** A statement over PostgreSQL's catalogs. It has the same checks, slot, process, limits and entry among the running queries as one over frames. */
export class CatalogStatement implements Statement {
  readonly #context: StatementContext;
  readonly #snapshots: CatalogSnapshots;
  readonly #caller: Caller;
  readonly #text: CatalogStatementText;
  readonly #options: StatementOptions & { readonly postgres: PostgresSession };
  #running: RunningStatement | null = null;

  constructor(
    context: StatementContext,
    snapshots: CatalogSnapshots,
    caller: Caller,
    text: CatalogStatementText,
    options: StatementOptions & { readonly postgres: PostgresSession },
  ) {
    this.#context = context;
    this.#snapshots = snapshots;
    this.#caller = caller;
    this.#text = text;
    this.#options = options;
  }

  async describe(signal: AbortSignal): Promise<SqlDescription> {
    const { checks, engines } = this.#context;
    checks.reader(this.#caller);
    checks.text(this.#text.written);
    const { tenant } = this.#caller;
    const resources = admitted(this.#context, this.#caller);
    const unfollow = resources.follow(signal);
    try {
      const statement = await resources.begin(
        engines.of(defaultEngine, tenant),
        this.#text.text,
        null,
        0,
        true,
      );
      resources.reads(noTables);
      const request = await this.#request(statement, signal);
      const { schemaMessage, parameterSchemaMessage } = await resources.bind(request);
      return { isQuery: true, schemaMessage, parameterSchemaMessage };
    } finally {
      unfollow();
      await resources.close();
    }
  }

  async execute(values: StatementParameters | null, signal: AbortSignal): Promise<SqlOutcome> {
    const { checks, engines, queries, waiting } = this.#context;
    checks.reader(this.#caller);
    checks.text(this.#text.written);
    const { tenant } = this.#caller;
    const resources = admitted(this.#context, this.#caller);
    try {
      const engine = engines.of(defaultEngine, tenant);
      const query = queries.begin(this.#caller, this.#text.written, queryIdOf(this.#options));
      // What tools ask about catalogs is in nobody's history.
      const dependencies = { ...this.#context, history: null };
      const running = new RunningStatement(
        dependencies,
        this.#caller,
        this.#text.written,
        engine,
        resources,
        query,
        signal,
      );
      this.#running = running;
      const statement = await running.begin({ sql: this.#text.text, isPostgres: true });
      resources.reads(noTables);
      const request = await this.#request(statement, running.signal);
      const bound = await running.bind({ ...request, parameters: values, runs: true });
      checks.current(this.#caller, statement.shape);
      return { ...running.outcome(describe(bound), resources.run(values), waiting), notice: request.notice };
    } catch (thrown) {
      const error = this.#running === null ? thrown : await this.#running.fail(thrown);
      await resources.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    await this.#running?.release();
  }

  async #request({ shape }: EngineStatement, signal: AbortSignal) {
    const { frames, key, notice } = await this.#snapshots.of(this.#caller, signal);
    const session = this.#options.postgres;
    const postgres = { session, key, frames: shape.catalogKey === key ? null : frames };
    return { insertInto: null, postgres, notice };
  }
}

const noTables: StatementTables = { tables: [], records: [], objects: [], release: () => Promise.resolve() };

function describe({ schemaMessage }: BoundStatement) {
  const columns = withWideIntegers(schemaOf(schemaMessage)).fields.map(describeColumn);
  return { schemaMessage, markedSchemaMessage: schemaMessage, columns };
}
