import type { BindRequest, BoundStatement, EngineStatement } from '../ports/engine.ts';
import { framesOfViews, type NotedDependencies } from './catalog/information-schema.ts';
import type { VisibleTablesDependencies } from './catalog/visible-tables.ts';
import type { SqlEngine } from './engines.ts';
import type { RunningStatement } from './running-statement.ts';
import type { StatementChecks } from './statement-checks.ts';
import { openTables, type StatementTablesDependencies } from './tables/statement-tables.ts';

type TablesDependencies = Omit<StatementTablesDependencies, 'versions'>;
export type BindDependencies = TablesDependencies & VisibleTablesDependencies & NotedDependencies;

/** Opens what a statement reads, and gives it to the engine. */
export async function bindStatement(
  dependencies: BindDependencies,
  checks: StatementChecks,
  running: RunningStatement,
  statement: EngineStatement,
  request: Omit<BindRequest, 'tables'>,
): Promise<BoundStatement> {
  const { caller, signal } = running;
  const tables = await openTables(
    openingOf(dependencies, running.engine),
    caller,
    statement.shape,
    true,
    signal,
  );
  running.resources.reads(tables);
  checks.current(caller, statement.shape);
  const catalog = await framesOfViews(dependencies, caller, statement.shape.catalog, signal);
  return running.bind({ catalog, ...request });
}

/** The versions of a table, as the engine reads them. */
export function openingOf(
  { frames, upstream }: TablesDependencies,
  { versions }: SqlEngine,
): StatementTablesDependencies {
  return { frames, upstream, versions };
}
