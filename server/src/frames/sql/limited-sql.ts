import type { Caller } from '../caller.ts';
import type { TenantQueries } from '../tenant-queries.ts';
import type { FailedState, QueryState, Sql, SqlDescription, SqlOutcome, SqlRequest } from './sql.ts';

/** SQL, for as many statements as a tenant may have at once. */
export class LimitedSql implements Sql {
  readonly #sql: Sql;
  readonly #places: TenantQueries;

  constructor(sql: Sql, places: TenantQueries) {
    this.#sql = sql;
    this.#places = places;
  }

  /** Takes the engine too, for a moment. */
  async describe(caller: Caller, sql: string, signal: AbortSignal): Promise<SqlDescription> {
    const leave = this.#places.enter(caller, 'sql.query');
    try {
      return await this.#sql.describe(caller, sql, signal);
    } finally {
      leave();
    }
  }

  async execute(caller: Caller, request: SqlRequest, signal: AbortSignal): Promise<SqlOutcome> {
    const leave = this.#places.enter(caller, 'sql.query');
    try {
      const outcome = await this.#sql.execute(caller, request, signal);
      if (outcome.kind === 'changed') {
        leave();
        return outcome;
      }
      const release = async () => {
        try {
          await outcome.release();
        } finally {
          leave();
        }
      };
      return { ...outcome, release };
    } catch (error) {
      leave();
      throw error;
    }
  }

  queries(caller: Caller): readonly QueryState[] {
    return this.#sql.queries(caller);
  }

  query(caller: Caller, id: string, tenant?: string): QueryState | FailedState {
    return this.#sql.query(caller, id, tenant);
  }

  cancel(caller: Caller, id: string, tenant?: string): void {
    this.#sql.cancel(caller, id, tenant);
  }
}
