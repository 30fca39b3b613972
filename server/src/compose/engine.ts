import type { Settings } from '../config/settings.ts';
import { ProcessEngine, type ProcessEngineOptions } from '../engine/process-engine.ts';
import type { Observe } from '../frames/observation.ts';
import type { Engine } from '../frames/ports/engine.ts';
import { dataPaths } from './data-paths.ts';

/** The only file that knows which engine runs statements. */
export async function composeEngine(
  settings: Settings,
  observe: Observe,
  made: AsyncDisposableStack,
): Promise<Engine> {
  return made.adopt(await ProcessEngine.open(engineOptions(settings, observe)), (open) => open.close());
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
    analyticsPath: settings['storage.duckdb_path'] ?? null,
    observe,
  };
}
