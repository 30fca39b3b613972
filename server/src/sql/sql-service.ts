import type { Caller } from '../model/caller.ts';
import { defaultEngine, type EngineName } from '../model/engine-name.ts';
import type { Engine, EngineVocabulary, PostgresSession } from '../ports/engine.ts';
import type { FailedState, QueryState } from '../ports/running-queries.ts';
import { StatementChanges } from './changes/statement-changes.ts';
import { CatalogSnapshots, type CatalogSnapshotsDependencies } from './postgres/catalog-snapshots.ts';
import { CatalogStatement } from './postgres/catalog-statement.ts';
import { readPostgresStatement } from './postgres/read-statement.ts';
import { RewrittenStatement } from './postgres/rewritten-statement.ts';
import type { Sql, Statement, StatementOptions } from './sql.ts';
import { PreparedText, type StatementContext, type StatementDependencies } from './statement.ts';
import { StatementChecks } from './statement-checks.ts';
import { WaitingRows } from './waiting-rows.ts';

export interface SqlServiceOptions {
  /** The longest text of a statement. */
  readonly textBytesMax: number;
  /** Statements that engines run at once. */
  readonly processesMax: () => number;
}

/** SQL over held frames: names become versions, versions become Parquet files, and what a statement changes is put like an upload. */
export class SqlService implements Sql {
  readonly #context: StatementContext;
  readonly #snapshots: CatalogSnapshots;
  readonly #vocabularies = new WeakMap<Engine, Promise<EngineVocabulary>>();

  constructor(
    dependencies: StatementDependencies & CatalogSnapshotsDependencies,
    { textBytesMax, processesMax }: SqlServiceOptions,
  ) {
    const checks = new StatementChecks(dependencies.access, textBytesMax);
    const changes = new StatementChanges(dependencies, checks);
    const waiting = new WaitingRows(processesMax);
    this.#context = { ...dependencies, checks, changes, waiting };
    this.#snapshots = new CatalogSnapshots(dependencies);
  }

  prepare(caller: Caller, sql: string, options: StatementOptions = {}): Statement {
    const { postgres } = options;
    return postgres === undefined
      ? new PreparedText(this.#context, caller, sql, options)
      : this.#ofPostgres(caller, sql, { ...options, postgres });
  }

  /** Over PostgreSQL's catalogs, or over frames by the names that clients of PostgreSQL know them by. */
  #ofPostgres(
    caller: Caller,
    sql: string,
    options: StatementOptions & { readonly postgres: PostgresSession },
  ): Statement {
    const { reads, rewritten } = readPostgresStatement(sql);
    const text = rewritten?.text ?? sql;
    const statement =
      reads === 'catalogs'
        ? new CatalogStatement(this.#context, this.#snapshots, caller, { written: sql, text }, options)
        : new PreparedText(this.#context, caller, text, options);
    return rewritten === null ? statement : new RewrittenStatement(statement, sql, rewritten);
  }

  async vocabulary(caller: Caller, engineName: EngineName = defaultEngine): Promise<EngineVocabulary> {
    const { access, engines } = this.#context;
    access.check(caller, 'function.list');
    const { engine } = engines.of(engineName, caller.tenant);
    const known = this.#vocabularies.get(engine);
    if (known !== undefined) return known;
    // Not the caller's signal: others may wait for the same answer.
    const asked = engine.vocabulary(new AbortController().signal).catch((error: unknown) => {
      this.#vocabularies.delete(engine);
      throw error;
    });
    this.#vocabularies.set(engine, asked);
    return asked;
  }

  async queries(caller: Caller): Promise<readonly QueryState[]> {
    this.#context.access.check(caller, 'query.list');
    return this.#context.queries.list(caller);
  }

  async query(caller: Caller, id: string, tenant?: string): Promise<QueryState | FailedState> {
    this.#context.access.check(caller, 'query.list');
    return this.#context.queries.state(caller, id, tenant);
  }

  async cancel(caller: Caller, id: string, tenant?: string): Promise<void> {
    const { access, audit, queries } = this.#context;
    access.check(caller, 'query.cancel');
    const stopped = await queries.cancel(caller, id, tenant);
    audit.done(caller, 'query.cancel', null, { tenant: stopped.tenant, statement: stopped.id });
  }
}
