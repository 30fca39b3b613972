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

/** What metrics ask is called when they are read, which is after everything has started. */
export function composeTelemetry(
  settings: Settings,
  asked: { readonly load: () => Load; readonly checkReady: () => Promise<void> },
  made: AsyncDisposableStack,
): Telemetry {
  const log = made.adopt(
    new Log({ level: settings['logging.level'], format: settings['logging.format'] }),
    (open) => open.close(),
  );
  const metrics = createMetrics({ version: productVersion(), logLinesLost: () => log.linesLost, ...asked });
  return { log, metrics, observe: createObserve(log, metrics) };
}
