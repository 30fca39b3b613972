import { AllowlistWorkers } from './allowlist-workers.ts';
import type { AllowedStatement, FilledStatement, FillRequest } from './check-statement.ts';
import type { ParameterValues } from './parameter-values.ts';

export type { AllowedStatement, FilledStatement } from './check-statement.ts';
export type { ParameterValue, ParameterValues } from './parameter-values.ts';

/** Decides which statements reach Spark, and in which words. */
export interface StatementAllowlist {
  /** sql_invalid with a place; sql_refused with what to do instead. */
  check(sql: string, signal: AbortSignal): Promise<AllowedStatement>;
  /**
   * The text that Spark is sent: values are written into it as literals, and the whole is judged once more. Spark is given no parameters, because it
   * would put them into the text itself. Also for a statement without parameters, with no values.
   */
  fill(statement: AllowedStatement, values: ParameterValues, signal: AbortSignal): Promise<FilledStatement>;
  close(): Promise<void>;
}

/** In processes with limits of time and memory: a statement can make the parser take much of both. */
export class WorkerAllowlist implements StatementAllowlist {
  readonly #workers = new AllowlistWorkers();

  check(sql: string, signal: AbortSignal): Promise<AllowedStatement> {
    return this.#workers.run<AllowedStatement>('check', sql, signal);
  }

  async fill(
    statement: AllowedStatement,
    values: ParameterValues,
    signal: AbortSignal,
  ): Promise<FilledStatement> {
    const { text, places, parameters } = statement;
    if (parameters.count === 0) return { text, places };
    const request: FillRequest = { statement, values };
    return this.#workers.run<FilledStatement>('fill', request, signal);
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}
