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

/** `load` is called when metrics are read, which is after everything has started. */
export function composeTelemetry(
  settings: Settings,
  load: () => Load,
  made: AsyncDisposableStack,
): Telemetry {
  const log = made.adopt(
    new Log({ level: settings['logging.level'], format: settings['logging.format'] }),
    (open) => open.close(),
  );
  const metrics = createMetrics({ version: productVersion(), logLinesLost: () => log.linesLost, load });
  return { log, metrics, observe: createObserve(log, metrics) };
}
