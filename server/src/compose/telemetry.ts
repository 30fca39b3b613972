import type { Settings } from '../config/settings.ts';
import { productVersion } from '../config/version.ts';
import type { Backlog } from '../ports/catalog/maintenance.ts';
import type { Observe } from '../ports/observation.ts';
import { Log } from '../telemetry/log.ts';
import { createMetrics, type Load, type Metrics } from '../telemetry/metrics.ts';
import { createObserve } from '../telemetry/observe.ts';
import type { Shared } from './node.ts';

export interface Telemetry {
  readonly log: Log;
  readonly metrics: Metrics;
  readonly observe: Observe;
}

interface TelemetryDependencies {
  readonly load: () => Load;
  readonly checkReady: () => Promise<void>;
  /** null: there are no others. */
  readonly shared: Shared | null;
  readonly backlog: () => Promise<Backlog>;
}

/** What metrics ask is called when they are read, which is after everything has started. */
export function composeTelemetry(
  settings: Settings,
  { shared, ...asked }: TelemetryDependencies,
  made: AsyncDisposableStack,
): Telemetry {
  const log = made.adopt(
    new Log({
      level: settings['logging.level'],
      format: settings['logging.format'],
      node: shared?.nodes.self.id ?? null,
    }),
    (open) => open.close(),
  );
  const metrics = createMetrics({ version: productVersion(), logLinesLost: () => log.linesLost, ...asked });
  const observe = createObserve(log, metrics);
  // The only thing that happens to what was made before the log.
  if (shared !== null)
    shared.nodes.onOutdated = ({ message, hint = '' }) =>
      observe({ event: 'node-outdated', detail: message, hint });
  return { log, metrics, observe };
}
