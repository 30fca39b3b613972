import type { Settings } from '../config/settings.ts';
import { productVersion } from '../config/version.ts';
import type { Observe } from '../frames/observation.ts';
import { Log } from '../telemetry/log.ts';
import { createMetrics, type Load, type Metrics } from '../telemetry/metrics.ts';
import { createObserve } from '../telemetry/observe.ts';

export interface Telemetry {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly observe: Observe;
}

export interface TelemetryDependencies {
  /** null: there are no others. */
  readonly node: string | null;
  readonly load: () => Load;
  readonly checkReady: () => Promise<void>;
}

/** What metrics ask is called when they are read, which is after everything has started. */
export function composeTelemetry(
  settings: Settings,
  { node, ...asked }: TelemetryDependencies,
  made: AsyncDisposableStack,
): Telemetry {
  const log = made.adopt(
    new Log({ level: settings['logging.level'], format: settings['logging.format'], node }),
    (open) => open.close(),
  );
  const metrics = createMetrics({ version: productVersion(), logLinesLost: () => log.linesLost, ...asked });
  return { log, metrics, observe: createObserve(log, metrics) };
}
