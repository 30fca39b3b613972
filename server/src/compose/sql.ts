import type { Settings } from '../config/settings.ts';
import type { AccessGuard } from '../frames/access/access-guard.ts';
import type { Audit } from '../frames/access/audit.ts';
import type { Analysis } from '../frames/analysis/analysis.ts';
import { AnalysisService } from '../frames/analysis/analysis-service.ts';
import type { PreparedStatements } from '../ports/prepared-statements.ts';
import type { RunningQueries } from '../ports/running-queries.ts';
import type { Upstream } from '../ports/upstream.ts';
import type { StatementCache } from '../sql/cache/statement-cache.ts';
import type { History } from '../sql/saved/history.ts';
import { HistoryService } from '../sql/saved/history-service.ts';
import { HistoryWriter } from '../sql/saved/history-writer.ts';
import type { SavedQueries } from '../sql/saved/saved-queries.ts';
import { SavedQueriesService } from '../sql/saved/saved-queries-service.ts';
import type { Sql } from '../sql/sql.ts';
import { SqlService } from '../sql/sql-service.ts';
import { UpstreamTables } from '../sql/tables/upstream-tables.ts';
import { VersionStatements } from '../sql/version-statements.ts';
import type { Core } from './core.ts';
import type { ComposedEngines } from './engine.ts';
import type { Limits } from './limits.ts';
import type { Services } from './services.ts';

export interface SqlDependencies extends ComposedEngines {
  readonly core: Core;
  readonly services: Services;
  readonly limits: Limits;
  readonly upstream: Upstream | null;
  readonly queries: RunningQueries;
  readonly prepared: PreparedStatements;
  readonly kept: StatementCache;
  readonly access: AccessGuard;
  readonly audit: Audit;
}

export interface ComposedSql {
  readonly sql: Sql;
  readonly prepared: PreparedStatements;
  readonly analysis: Analysis;
  readonly savedQueries: SavedQueries;
  readonly history: History;
}

export function composeSql(
  settings: Settings,
  {
    core,
    services,
    limits,
    engines,
    local,
    upstream,
    queries,
    prepared,
    kept,
    access,
    audit,
  }: SqlDependencies,
  made: AsyncDisposableStack,
): ComposedSql {
  const { catalog, store, codec, diskBudget, guard, observe, renderer, now } = core;
  const textBytesMax = settings['sql.text_bytes_max'];
  const keptMax = () => settings['sql.history_max'];
  const writer = made.adopt(new HistoryWriter({ catalog, observe, now }, { keptMax }), (open) =>
    open.close(),
  );
  const upstreamTables = new UpstreamTables(
    { upstream, store, codec, diskBudget, puts: limits.puts, access },
    settings['http.body_bytes_max'],
  );
  const { frames, sharing, notes } = services;
  const running = {
    queries,
    guard,
    audit,
    slots: limits.tenantQueries,
    observe,
  };
  const sql = new SqlService(
    {
      ...running,
      catalog,
      engines,
      frames,
      sharing,
      notes,
      upstream: upstreamTables,
      access,
      history: writer,
      kept,
    },
    { textBytesMax, processesMax: () => settings['sql.processes_max'] },
  );
  // What the server itself asks of the engine is in nobody's history.
  const statements = new VersionStatements({
    ...running,
    engine: local,
    renderer,
    history: null,
    engines: null,
  });
  return {
    sql,
    prepared,
    analysis: new AnalysisService({ frames, catalog, statements, access }),
    savedQueries: new SavedQueriesService({ catalog, access, audit, now }, { textBytesMax }),
    history: new HistoryService({ catalog, writer, access, audit }),
  };
}
