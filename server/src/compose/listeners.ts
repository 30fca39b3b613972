import type { Settings } from '../config/settings.ts';
import { productVersion } from '../config/version.ts';
import {
  type FlightDependencies,
  type FlightListener,
  type FlightListenerOptions,
  flightLimitNames,
  startFlightListener,
} from '../flight/listener.ts';
import { Readiness } from '../frames/readiness.ts';
import type { HttpContext } from '../http/context.ts';
import type { BrowserRules } from '../http/hooks/browser-hook.ts';
import { HostNames } from '../http/hooks/host-names.ts';
import { type HttpListener, httpLimitNames, startHttpListener } from '../http/listener.ts';
import { SubPath } from '../http/request/sub-path.ts';
import { type ManagementListener, startManagementListener } from '../management/management-listener.ts';
import {
  type PostgresDependencies,
  type PostgresListener,
  postgresLimitNames,
  startPostgresListener,
} from '../pgwire/listener.ts';
import type { ConnectionLimits } from '../sockets/open-connections.ts';
import { allReceived } from '../sockets/unsent-bytes.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { composeConsole } from './console.ts';

export interface Listeners {
  readonly http: HttpListener['address'];
  readonly grpc: FlightListener['address'];
  /** null if `postgres.bind_address` is not set. */
  readonly postgres: string | null;
  /** A URL; null if `server.management_address` is not set. */
  readonly management: string | null;
  /** By listener. */
  openConnections(): ReadonlyMap<string, number>;
  /** Stops taking requests and lets running ones end, on both listeners at the same time: they share the deadline. */
  stop(): Promise<void>;
}

export interface ListenerDependencies
  extends Omit<FlightDependencies, 'onHealthAsked' | 'isReady'>,
    Omit<PostgresDependencies, 'certificates'>,
    Pick<
      HttpContext,
      | 'analysis'
      | 'files'
      | 'tenants'
      | 'status'
      | 'savedQueries'
      | 'history'
      | 'events'
      | 'renderedCache'
      | 'proxy'
    > {
  /** Rejects if the server cannot serve. */
  readonly checkReady: () => Promise<void>;
  readonly metrics: Metrics;
  /** undefined: the one that was built. */
  readonly consoleFolder: string | undefined;
}

export async function composeListeners(
  settings: Settings,
  dependencies: ListenerDependencies,
  made: AsyncDisposableStack,
): Promise<Listeners> {
  const readiness = new Readiness({
    delayMs: settings['server.drain_delay_ms'],
    check: dependencies.checkReady,
  });
  const drainMs = settings['server.drain_ms'];
  const publicUrl = settings['server.grpc_public_url'];
  let flightPort = 0;
  const flightPlace = () => {
    if (publicUrl !== undefined) return { publicUrl };
    return flightPort === 0 ? null : { port: flightPort };
  };
  const http = await startHttpListener(
    {
      ...httpContext(settings, dependencies, readiness),
      console: await composeConsole(dependencies.consoleFolder),
      flight: flightPlace,
    },
    settings['http.bind_address'],
  );
  made.defer(() => http.close());
  const management = await composeManagement(settings, readiness, dependencies.metrics);
  made.defer(() => management?.close());
  const flight = await startFlightListener(flightOptions(settings), {
    ...dependencies,
    onHealthAsked: () => readiness.asked(),
    isReady: () => readiness.isReady(),
  });
  flightPort = flight.port;
  const postgres = await composePostgres(settings, dependencies);
  const ports = [flight.port, postgres?.port ?? 0, typeof http.address === 'string' ? 0 : http.address.port];
  const drain = async () => {
    const deadline = performance.now() + drainMs;
    await Promise.all([http.drain(drainMs), flight.close(drainMs), postgres?.close(drainMs)]);
    await allReceived(ports, deadline - performance.now());
    // Last: balancers ask there about both listeners.
    await http.close();
    await management?.close();
  };
  let drained: Promise<void> | null = null;
  const close = () => (drained ??= drain());
  made.defer(close);
  return {
    http: http.address,
    grpc: flight.address,
    postgres: postgres?.address ?? null,
    management: management?.address ?? null,
    openConnections: () => {
      const open = new Map([
        ['http', http.openConnections],
        ['flight', flight.openConnections],
      ]);
      return postgres === null ? open : open.set('postgres', postgres.openConnections);
    },
    stop: async () => {
      http.stopSoon();
      flight.stopSoon();
      await readiness.stop();
      await close();
    },
  };
}

async function composeManagement(
  settings: Settings,
  readiness: Readiness,
  metrics: Metrics,
): Promise<ManagementListener | null> {
  const address = settings['server.management_address'];
  if (address === undefined) return null;
  return await startManagementListener({
    address,
    ready: () => readiness.check(),
    metrics: () => metricsText(metrics),
  });
}

async function metricsText({ registry }: Metrics): Promise<{ contentType: string; text: string }> {
  return { contentType: registry.contentType, text: await registry.metrics() };
}

function httpContext(
  settings: Settings,
  dependencies: ListenerDependencies,
  readiness: Readiness,
): Omit<HttpContext, 'console' | 'flight'> {
  const { metrics } = dependencies;
  const publicUrl = (settings.public_url ?? '').replace(/\/+$/, '');
  return {
    ...dependencies,
    limits: httpLimits(settings),
    connections: connectionLimits(settings, httpLimitNames),
    mcp: mcpOptions(settings),
    compression: settings['http.compression'],
    publicUrl,
    subPath: new SubPath(publicUrl),
    trustProxy: settings['http.trust_proxy'],
    metrics: () => metricsText(metrics),
    ready: () => readiness.check(),
    isReady: () => readiness.isReady(),
    browsers: browserRules(settings),
    vary: varyOf(settings),
  };
}

function browserRules(settings: Settings): BrowserRules {
  const publicUrl = settings.public_url;
  const address = settings['http.bind_address'];
  const names = [
    ...(settings['http.allowed_hosts'] ?? []),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    ...('host' in address ? [address.host] : []),
  ];
  return {
    hosts: new HostNames(names),
    corsOrigins: new Set(settings['http.cors_origins'] ?? []),
    frameAncestors: settings['http.frame_ancestors'] ?? [],
    publicOrigin: publicUrl === undefined ? null : new URL(publicUrl).origin,
  };
}

function varyOf(settings: Settings): string {
  const headers = [
    'accept',
    ...(settings['http.compression'] ? ['accept-encoding'] : []),
    ...(settings['http.cors_origins'] === undefined ? [] : ['origin']),
  ];
  return headers.join(', ');
}

// Members that are getters read settings that may change (config/live-settings.ts).

function httpLimits(settings: Settings): HttpContext['limits'] {
  return {
    get limitMax() {
      return settings['http.limit_max'];
    },
    bodyBytesMax: settings['http.body_bytes_max'],
    urlBytesMax: settings['http.url_bytes_max'],
    headerBytesMax: settings['http.header_bytes_max'],
    bodyIdleMs: settings['http.request_timeout_ms'],
    bodyRateMin: settings['http.body_rate_min'],
    answerIdleMs: settings['http.answer_timeout_ms'],
    keepAliveMs: settings['http.keep_alive_ms'],
    sqlTextBytesMax: settings['sql.text_bytes_max'],
  };
}

function mcpOptions(settings: Settings): HttpContext['mcp'] {
  return {
    isEnabled: settings['mcp.enabled'],
    rowsMax: settings['mcp.rows_max'],
    bytesMax: settings['mcp.bytes_max'],
    timeoutMs: settings['mcp.timeout_ms'],
    serverVersion: productVersion(),
  };
}

function flightOptions(settings: Settings): FlightListenerOptions {
  return {
    host: settings['server.grpc_host'],
    port: settings['server.grpc_port'],
    connections: connectionLimits(settings, flightLimitNames),
    publicUrl: settings['server.grpc_public_url'] ?? null,
    limits: {
      messageBytesMax: settings['server.message_bytes_max'],
      messageMemoryMax: settings['server.message_memory_max'],
      callIdleMs: settings['server.call_timeout_ms'],
    },
    sql: {
      serverVersion: productVersion(),
      hasAnalytics: settings['storage.duckdb_path'] !== undefined,
      statementBytesMax: settings['sql.text_bytes_max'],
    },
  };
}

/** null: it is not configured. */
async function composePostgres(
  settings: Settings,
  dependencies: PostgresDependencies,
): Promise<PostgresListener | null> {
  const address = settings['postgres.bind_address'];
  if (address === undefined) return null;
  return await startPostgresListener(
    {
      address,
      connections: connectionLimits(settings, postgresLimitNames),
      limits: {
        // Read each time: it may change (config/live-settings.ts).
        get tenantConnectionsMax() {
          return settings['postgres.tenant_connections_max'];
        },
        messageBytesMax: settings['postgres.message_bytes_max'],
        messageMemoryMax: settings['postgres.message_memory_max'],
        textBytesMax: settings['sql.text_bytes_max'],
      },
      times: {
        loginMs: settings['postgres.login_timeout_ms'],
        idleMs: settings['postgres.idle_ms'],
        idleTransactionMs: settings['postgres.idle_transaction_ms'],
        portalMs: settings['postgres.portal_idle_ms'],
        answerMs: settings['postgres.answer_timeout_ms'],
      },
      allowPlaintext: settings['postgres.allow_plaintext'],
    },
    dependencies,
  );
}

/** As the settings are now: they may change while the server runs. */
function connectionLimits(
  settings: Settings,
  names: typeof httpLimitNames | typeof flightLimitNames | typeof postgresLimitNames,
): ConnectionLimits {
  return {
    get maxConnections() {
      return settings[names.maxConnections];
    },
    get unauthenticatedMax() {
      return settings[names.unauthenticatedMax];
    },
    get perAddressMax() {
      return settings[names.perAddressMax];
    },
  };
}
