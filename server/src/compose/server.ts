import { sparkAccess } from '../config/external/spark-access.ts';
import { tsdbAccess } from '../config/external/tsdb-access.ts';
import type { Settings } from '../config/settings.ts';
import { checkSharedSettings } from '../config/shared-settings.ts';
import { tenantLimitValues } from '../config/tenant-limits.ts';
import { AccessGuard } from '../frames/access/access-guard.ts';
import { Audit } from '../frames/access/audit.ts';
import { RenderedCache } from '../http/response/rendered-cache.ts';
import type { Observe } from '../ports/observation.ts';
import type { RunningQueries } from '../ports/running-queries.ts';
import { StatementCache } from '../sql/cache/statement-cache.ts';
import type { SqlEngines } from '../sql/engines.ts';
import type { Log } from '../telemetry/log.ts';
import type { Load } from '../telemetry/metrics.ts';
import { type Auth, composeAuth } from './auth.ts';
import { composeBackground } from './background.ts';
import { composeNode } from './compose-node.ts';
import { type Core, composeCore } from './core.ts';
import { composeEngines } from './engine.ts';
import { createFirstToken } from './first-token.ts';
import { composeLimits, type Limits } from './limits.ts';
import { composeListeners, type Listeners } from './listeners.ts';
import type { Shared } from './node.ts';
import { composeServices, type Services } from './services.ts';
import { composeSql } from './sql.ts';
import { composeStorage, type Storage } from './storage.ts';
import { composeDataDirectory } from './store.ts';
import { composeTelemetry } from './telemetry.ts';
import { composeUpstream } from './upstream.ts';

export interface RunningServer extends Pick<Listeners, 'http' | 'grpc' | 'postgres' | 'management'> {
  readonly log: Log;
  readonly isTls: boolean;
  /** No credentials are configured. It may change: the first token closes a server. */
  readonly isOpen: boolean;
  /** The token that this start has made, because there was none. It is known only now. */
  readonly firstToken: string | null;
  /** After settings were loaded again: gives them to what does not read them each time, and looks for new certificates. */
  reload(): void;
  /** Stops taking requests, lets running ones end, and closes everything in reverse. */
  close(): Promise<void>;
}

/**
 * Makes a server. `settings` may change while it runs (config/live-settings.ts). What is made is closed in reverse, also if something that
 * is made later fails to start. `consoleFolder`: another console than the one that was built.
 */
export async function compose(settings: Settings, consoleFolder?: string): Promise<RunningServer> {
  // First, so that contradictory settings are reported before anything is opened.
  const database = tsdbAccess(settings);
  const spark = sparkAccess(settings);
  checkSharedSettings(settings);
  await using made = new AsyncDisposableStack();
  const { id: node, now, queries, prepared, shared, count } = await composeNode(settings, made);
  const checkReady = () => checkParts(storage, shared);
  const backlog = () => storage.backlog.count();
  // Until all listeners are bound there is nothing to count, though the first of them may already be asked.
  let connections: Listeners['openConnections'] = () => new Map();
  const load = () => loadOf(limits, queries, core, services, engines, shared, connections());
  const { log, metrics, observe } = composeTelemetry(settings, { load, checkReady, backlog, shared }, made);
  composeDataDirectory(settings, log, made);
  const audit = new Audit(observe);
  const access = new AccessGuard(audit);
  const isLinkInForce = (id: string) => storage.catalog.isLinkInForce(id);
  const credentialPlace = { observe, now, database: shared?.database ?? null };
  const auth = await composeAuth(settings, { ...credentialPlace, audit, isLinkInForce, nodes: count }, made);
  const limits = composeLimits(settings, auth.limits, count);
  const storage = await composeStorage(settings, { observe, now, shared, onDamage: () => onDamage() }, made);
  const { renderedCache, kept, clear } = answersOf(settings, observe);
  const onDamage = () => {
    clear();
    background.nudge();
  };
  const core = composeCore(settings, { ...storage, onDamage, observe, now }, made);
  const background = composeBackground(settings, core, made);
  const upstream = await composeUpstream(settings, database, log, made);
  const onPut = () => background.nudge();
  const { engines, local } = await composeEngines(settings, core, spark, made);
  const used = { core, auth, limits, engines, upstream, queries, access, audit, node, onPut };
  const services = composeServices(settings, used, made);
  const composedSql = composeSql(
    settings,
    { core, services, limits, engines, local, upstream, queries, prepared, kept, access, audit },
    made,
  );
  const { authenticator, certificates } = auth;
  const { stop, openConnections, ...bound } = await composeListeners(
    settings,
    {
      ...services,
      access,
      ...composedSql,
      renderer: core.renderer,
      renderedCache,
      checkReady,
      observe,
      metrics,
      authenticator,
      certificates,
      consoleFolder,
      nodes: shared?.nodes ?? null,
      ...forPostgres(auth, audit, shared),
    },
    made,
  );
  connections = openConnections;
  if (storage.restoreGuard === null) background.start();
  else storage.restoreGuard.start(() => background.start());
  // Last: a start that fails makes none.
  const firstToken = await createFirstToken(settings, credentialPlace);
  const rest = made.move();
  return {
    log,
    ...bound,
    isTls: certificates !== null,
    get isOpen() {
      return authenticator.isOpen;
    },
    firstToken,
    reload: () => useSettings(settings, log, auth),
    close: async () => {
      shared?.nodes.withdraw();
      await Promise.all([background.stop(), stop()]);
      await rest.disposeAsync();
    },
  };
}

/** What only the listener for PostgreSQL asks for. */
function forPostgres({ tenants, links }: Auth, audit: Audit, shared: Shared | null) {
  return {
    audit,
    isTenant: (name: string) => new Set(tenants()).has(name),
    nodeNumber: () => shared?.nodes.number ?? 0,
    cancelSecret: () => links.secretFor('cancelling statements'),
  };
}

/** Gives settings that were loaded again to what does not read them each time. */
function useSettings(settings: Settings, log: Log, { limits, certificates }: Auth): void {
  log.setLevel(settings['logging.level']);
  limits.useServerLimits(tenantLimitValues(settings));
  certificates?.look();
}

/** Rejects if this server cannot serve. */
async function checkParts({ catalog, restoreGuard }: Storage, shared: Shared | null): Promise<void> {
  await catalog.ping();
  shared?.clock.check();
  shared?.nodes.check();
  restoreGuard?.checkBegun();
}

/** Answers in memory: the rows of frames, and those of statements. `clear` is for when stored bytes were found to have changed. */
function answersOf(settings: Settings, observe: Observe) {
  const entryBytesMax = settings['cache.rendered_entry_bytes_max'];
  const renderedCache = new RenderedCache(settings['cache.rendered_bytes_max'], entryBytesMax, observe);
  const kept = new StatementCache(settings['sql.answers_bytes_max'], observe);
  const clear = () => {
    renderedCache.clear();
    kept.clear();
  };
  return { renderedCache, kept, clear };
}

function loadOf(
  limits: Limits,
  statements: RunningQueries,
  { store, pools, leases }: Core,
  { events }: Services,
  { names }: SqlEngines,
  shared: Shared | null,
  connections: Load['connections'],
): Load {
  return {
    ...limits,
    statements: new Map(names.map((name) => [name, statements.occupancy(name)])),
    leasedObjects: store.openCount,
    eventStreams: events.open,
    connections,
    pools,
    leases: leases.held(),
    shared: shared && { clockOffsetMs: shared.clock.offsetMs, nodes: shared.nodes.live().length },
  };
}
