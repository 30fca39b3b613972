import type { SparkAccess } from '../config/external/spark-access.ts';
import type { Settings } from '../config/settings.ts';
import { ProcessEngine, type ProcessEngineOptions } from '../engine/process-engine.ts';
import type { Observe } from '../ports/observation.ts';
import { type SqlEngine, type SqlEngines, TenantEngines } from '../sql/engines.ts';
import { ScratchCopies } from '../sql/tables/scratch-copies.ts';
import { TranscodedVersions } from '../sql/tables/transcoded-versions.ts';
import type { Core } from './core.ts';
import { dataPaths } from './data-paths.ts';

export interface ComposedEngines {
  readonly engines: SqlEngines;
  /** The default one, which runs the server's own statements too. */
  readonly local: SqlEngine;
}

/** The only file that knows which engines run statements. */
export async function composeEngines(
  settings: Settings,
  core: Core,
  spark: SparkAccess | null,
  made: AsyncDisposableStack,
): Promise<ComposedEngines> {
  const options = engineOptions(settings, core.observe);
  const engine = made.adopt(await ProcessEngine.open(options), (open) => open.close());
  const scratch = made.adopt(new ScratchCopies(core), (open) => open.close());
  const versions = new TranscodedVersions({ ...core, scratch });
  const local: SqlEngine = { name: 'duckdb', engine, versions, results: null };
  if (spark === null) return { engines: new TenantEngines(local), local };
  const { composeSpark } = await import('./spark.ts');
  return { engines: new TenantEngines(local, await composeSpark(settings, spark, core, made)), local };
}

/** Members that are getters read settings that may change (config/live-settings.ts). */
function engineOptions(settings: Settings, observe: Observe): ProcessEngineOptions {
  return {
    get processesMax() {
      return settings['sql.processes_max'];
    },
    threads: settings['sql.threads'],
    memoryBytes: settings['sql.memory_bytes_max'],
    tempBytesMax: settings['sql.temp_bytes_max'],
    reserveBytes: () => settings['storage.reserve_bytes'],
    get timeoutMs() {
      return settings['sql.timeout_ms'];
    },
    get queueMax() {
      return settings['sql.queue_max'];
    },
    get queueWaitMs() {
      return settings['sql.queue_wait_ms'];
    },
    tempDirectory: dataPaths(settings).sqlTemp,
    // Objects in a bucket are read as copies in the data directory.
    ...(settings['storage.url'] === undefined ? { linkRoot: dataPaths(settings).sqlLinks } : {}),
    analyticsPath: settings['storage.duckdb_path'] ?? null,
    observe,
  };
}
