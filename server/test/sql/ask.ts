import type { Caller } from '../../src/model/caller.ts';
import type { EngineName } from '../../src/model/engine-name.ts';
import type { SqlDescription } from '../../src/ports/prepared-statements.ts';
import type { Sql, SqlOutcome, SqlRequest, Statement, StatementOptions } from '../../src/sql/sql.ts';

type Prepares = Pick<Sql, 'prepare'>;

/** Prepares a statement and executes it. */
export function executeStatement(
  sql: Prepares,
  caller: Caller,
  { sql: text, parameters, ...options }: SqlRequest,
  signal: AbortSignal,
): Promise<SqlOutcome> {
  return sql.prepare(caller, text, options).execute(parameters, signal);
}

/** Prepares a statement and describes it. */
export function describeStatement(
  sql: Prepares,
  caller: Caller,
  text: string,
  signal: AbortSignal,
  engine?: EngineName,
): Promise<SqlDescription> {
  return sql.prepare(caller, text, engine === undefined ? {} : { engine }).describe(signal);
}

interface Runs {
  describe(caller: Caller, sql: string, signal: AbortSignal, engine?: EngineName): Promise<SqlDescription>;
  execute(caller: Caller, request: SqlRequest, signal: AbortSignal): Promise<SqlOutcome>;
}

/** A statement of a replacement for the engine. */
export function statementOf(
  runs: Runs,
  caller: Caller,
  sql: string,
  options: StatementOptions = {},
): Statement {
  return {
    describe: (signal) => runs.describe(caller, sql, signal, options.engine),
    execute: (parameters, signal) => runs.execute(caller, { sql, parameters, ...options }, signal),
    close: async () => {},
  };
}
