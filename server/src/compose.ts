import { join } from 'node:path';
import { openSqliteCatalog } from './catalog/sqlite/sqlite-catalog.ts';
import { composeAuth } from './compose-auth.ts';
import type { Settings } from './config/settings.ts';
import { limitRules, tenantLimitValues } from './config/tenant-limits.ts';
import { type TsdbAccess, tsdbAccess } from './config/tsdb-access.ts';
import { productVersion } from './config/version.ts';
import type { ProcessEngineOptions } from './engine/process-engine.ts';
import { ProcessEngine } from './engine/process-engine.ts';
import type { FlightListener } from './flight/listener.ts';
import { startFlightListener } from './flight/listener.ts';
import type { ConnectionLimits } from './flight/open-connections.ts';
import { WorkerRenderer } from './formats/renderer.ts';
import { AccessGuard } from './frames/access/access-guard.ts';
import { Audit } from './frames/access/audit.ts';
import { Background } from './frames/background/background.ts';
import { ClaimedWork } from './frames/background/claimed-work.ts';
import { Collection } from './frames/background/collection.ts';
import { givesUpDropped } from './frames/background/dropped-content.ts';
import { Scrub } from './frames/background/scrub.ts';
import type { SqueezeLevels } from './frames/background/squeezing.ts';
import { FrameService } from './frames/frame-service.ts';
import { Admission, type ServerLimit } from './frames/limits/admission.ts';
import { ArrivingBytes } from './frames/limits/arriving-bytes.ts';
import { DiskRoom } from './frames/limits/disk-room.ts';
import { TenantPlaces } from './frames/limits/tenant-places.ts';
import { ObjectGuard } from './frames/objects/object-guard.ts';
import { ObjectReader } from './frames/objects/object-reader.ts';
import type { Observe } from './frames/observation.ts';
import { PartSettling } from './frames/parts/part-settling.ts';
import type { Upstream } from './frames/ports/upstream.ts';
import { ProxyService } from './frames/proxy/proxy-service.ts';
import { Readiness } from './frames/readiness.ts';
import { GuardedRenderer } from './frames/reading/guarded-renderer.ts';
import { SharingService } from './frames/sharing/sharing-service.ts';
import { GatheredParts } from './frames/sql/gathered-parts.ts';
import { MemoryPreparedStatements } from './frames/sql/memory-prepared-statements.ts';
import { MemoryQueries } from './frames/sql/memory-queries.ts';
import { SettledVersions } from './frames/sql/settled-versions.ts';
import { SqlService } from './frames/sql/sql-service.ts';
import { UpstreamTables } from './frames/sql/upstream-tables.ts';
import { announce } from './frames/steps.ts';
import { TenantsService } from './frames/tenants/tenants-service.ts';
import type { HttpContext } from './http/context.ts';
import type { BrowserRules } from './http/hooks/browser-hook.ts';
import { HostNames } from './http/hooks/host-names.ts';
import type { HttpListener } from './http/listener.ts';
import { startHttpListener } from './http/listener.ts';
import { RenderedCache } from './http/response/rendered-cache.ts';
import { firstWriteLevel } from './parquet/parquet-encodings.ts';
import { WorkerCodec } from './settle/worker-codec.ts';
import { openDataDirectory } from './store/data-directory.ts';
import { DiskStore } from './store/disk-store.ts';
import { Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createObserve } from './telemetry/observe.ts';
import { TsdbClient } from './upstream/tsdb-client.ts';
import type { ThreadPool } from './workers/thread-pool.ts';

export interface RunningServer {
  readonly log: Log;
  readonly http: HttpListener['address'];
  readonly grpc: FlightListener['address'];
  readonly isTls: boolean;
  /** No credentials are configured. */
  readonly isOpen: boolean;
  /** After settings were loaded again: what does not read them each time is given them. Looks for new certificates, too. */
  reload(): void;
  /** Stops taking requests, lets running ones end, and closes everything in reverse. */
  close(): Promise<void>;
}

const bytesPerGigabyte = 1e9;
const msPerHour = 3_600_000;
const dayMs = 24 * msPerHour;
/** Claims of a process that is started again end at once; this catalog has no other. */
const onlyProcess = 'local';
/** On one machine files that are open stay, and a reader that is too late asks the catalog again. */
const garbageDelayMs = 0;
const renewIntervalMs = 5 * 60_000;

/** The only place where objects are made. `settings` may change while they live (config/live-settings.ts). What is made is closed in reverse, also where a later part fails to start. */
export async function compose(settings: Settings): Promise<RunningServer> {
  // First: contradictions are told before anything is opened.
  const database = tsdbAccess(settings);
  await using made = new AsyncDisposableStack();
  const log = made.adopt(
    new Log({ level: settings['logging.level'], format: settings['logging.format'] }),
    (open) => open.close(),
  );
  const now = () => Date.now();
  const queries = new MemoryQueries(now);
  const pools: ThreadPool[] = [];
  const metrics = createMetrics({
    version: productVersion(),
    logLinesLost: () => log.linesLost,
    load: () => ({ puts, reads, statements: queries, leasedObjects: store.openCount, pools }),
  });
  const observe = createObserve(log, metrics);

  const dataDirectory = settings['storage.data_dir'];
  const parquetDirectory = settings['storage.parquet_path'] ?? join(dataDirectory, 'cold');
  const { modes } = made.adopt(
    openDataDirectory(dataDirectory, parquetDirectory, settings['storage.permissions']),
    (open) => open.release(),
  );
  for (const { isForeign, ...mode } of modes)
    log.write(isForeign ? 'warn' : 'info', {
      event: isForeign ? 'directory-open-to-others' : 'directory-mode-changed',
      ...mode,
    });
  announce('start:locked');
  const audit = new Audit(observe);
  const auth = made.adopt(await composeAuth(settings, { observe, audit, now }), (open) => open.close());
  const streams = new TenantPlaces('streams', (tenant) => auth.limits.of(tenant).streamsMax);
  const tenantQueries = new TenantPlaces('queries', (tenant) => auth.limits.of(tenant).queriesMax);
  const puts = new Admission(serverLimit('puts', settings), streams);
  const reads = new Admission(serverLimit('reads', settings), streams);
  const catalog = made.adopt(
    await openSqliteCatalog({ path: join(dataDirectory, 'catalog.sqlite') }),
    (open) => open.close(),
  );
  const store = made.adopt(await DiskStore.open(dataDirectory, parquetDirectory), (open) => open.close());
  announce('start:swept');
  const claims = new ClaimedWork(catalog, onlyProcess, now);
  await claims.endEarlier();
  const collection = new Collection({ catalog, store, observe, now }, garbageDelayMs);
  const reader = made.adopt(
    new ObjectReader(
      { catalog, store, observe, now },
      { delayMs: garbageDelayMs, intervalMs: renewIntervalMs },
    ),
    (open) => open.close(),
  );

  const codec = made.adopt(
    new WorkerCodec({
      checkThreads: settings['decode.threads'],
      decodeThreads: settings['decode.threads'],
      settleThreads: Math.max(1, settings['settle.threads']),
      limits: {
        batchBytesMax: settings['frames.batch_bytes_max'],
        timeMs: settings['decode.time_ms_max'],
      },
      decodeMemoryBytesMax: settings['decode.memory_bytes_max'],
      compression: settings['compression.algorithm'],
    }),
    (open) => open.close(),
  );
  const makeRoom = givesUpDropped(catalog, collection, observe);
  const room = new DiskRoom(store.staging, () => settings['storage.reserve_bytes'], observe, makeRoom);
  const renderedCache = new RenderedCache(
    settings['cache.rendered_bytes_max'],
    settings['cache.rendered_entry_bytes_max'],
    observe,
  );
  const onDamage = () => {
    renderedCache.clear();
    background.nudge();
  };
  const guard = new ObjectGuard({ catalog, store, observe, now, onDamage });
  // A job mostly waits for its reader. Slow readers must not keep others out, so the bound on reads is the one that counts.
  const workerRenderer = new WorkerRenderer({
    threads: settings['render.threads'],
    jobsPerThread: settings['frames.reads_max'],
  });
  const renderer = made.adopt(new GuardedRenderer(workerRenderer, guard), (open) => open.close());

  pools.push(...codec.pools, ...workerRenderer.pools);

  const settling = new PartSettling({ catalog, store, codec, reader, guard, room, observe, now });
  const cacheGigabytes = settings['storage.cache_size_gb'];
  const keepDays = settings['frames.versions_keep_days'];
  const background = made.adopt(
    new Background(
      { catalog, store, codec, reader, guard, room, settling, collection, claims, observe, now },
      {
        settle: settings['settle.threads'] > 0,
        arrowBytesMax: cacheGigabytes === undefined ? null : cacheGigabytes * bytesPerGigabyte,
        squeeze: squeezeLevels(settings),
        versionsKeep: settings['frames.versions_keep'],
        versionsKeepMs: keepDays === undefined ? null : keepDays * dayMs,
        sweepIntervalMs: settings['jobs.sweep_interval_ms'],
      },
    ),
    (open) => open.close(),
  );
  const access = new AccessGuard(audit);
  const { quotaOf } = auth.limits;
  const frames = new FrameService({
    catalog,
    store,
    codec,
    reader,
    guard,
    room,
    observe,
    now,
    access,
    audit,
    puts,
    reads,
    arriving: new ArrivingBytes({ catalog, quotaOf }),
    undropMs: settings['frames.undrop_hours'] * msPerHour,
    onPut: () => background.nudge(),
    quotaOf,
  });
  const sharing = new SharingService({ catalog, links: auth.links, access, audit, now });
  const tenants = new TenantsService({
    catalog,
    access,
    audit,
    rate: auth.rate,
    queries: tenantQueries,
    streams,
    limits: auth.limits,
    kept: auth.keptLimits,
    rules: limitRules,
    known: auth.tenants,
  });

  const scrub =
    settings['scrub.interval_hours'] === 0
      ? null
      : made.adopt(
          new Scrub(
            { catalog, store, guard },
            {
              intervalMs: settings['scrub.interval_hours'] * msPerHour,
              bytesPerSecond: settings['scrub.bytes_per_second'],
              observe,
              claims,
              now,
              onDamage,
            },
          ),
          (open) => open.close(),
        );

  const upstream = database === null ? null : composeUpstream(database, settings);
  if (database?.isExposed) log.write('warn', { event: 'tsdb-credential-unencrypted', url: database.url });
  if (upstream !== null) made.defer(() => upstream.close());

  const engine = made.adopt(await ProcessEngine.open(engineOptions(settings, observe)), (open) =>
    open.close(),
  );
  const settled = { catalog, store, codec, reader, guard, room, settling, observe, now };
  const gathered = made.adopt(new GatheredParts(settled), (open) => open.close());
  const versions = new SettledVersions({ ...settled, gathered });
  const upstreamTables = new UpstreamTables(
    { upstream, store, codec, room, puts, access },
    settings['http.body_bytes_max'],
  );
  const sql = new SqlService(
    {
      frames,
      sharing,
      versions,
      upstream: upstreamTables,
      engine,
      queries,
      guard,
      access,
      audit,
      places: tenantQueries,
      observe,
    },
    { textBytesMax: settings['sql.text_bytes_max'] },
  );
  const proxy = new ProxyService({ upstream, access, audit, places: tenantQueries });
  const readiness = new Readiness({
    delayMs: settings['server.drain_delay_ms'],
    check: () => catalog.ping(),
  });
  const http = await startHttpListener(
    {
      frames,
      sharing,
      tenants,
      access,
      sql,
      renderer,
      renderedCache,
      proxy,
      observe,
      limits: httpLimits(settings),
      compression: settings['http.compression'],
      publicUrl: (settings.public_url ?? '').replace(/\/+$/, ''),
      trustProxy: settings['http.trust_proxy'],
      metrics: async () => ({
        contentType: metrics.registry.contentType,
        text: await metrics.registry.metrics(),
      }),
      ready: () => readiness.check(),
      authenticator: auth.authenticator,
      browsers: browserRules(settings),
      vary: varyOf(settings),
      certificates: auth.certificates,
    },
    settings['http.bind_address'],
  );
  const drainMs = settings['server.drain_ms'];
  made.defer(() => http.close(drainMs));
  const flight = await startFlightListener(
    {
      host: settings['server.grpc_host'],
      port: settings['server.grpc_port'],
      connections: connectionLimits(settings),
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
    },
    {
      frames,
      sharing,
      access,
      sql,
      prepared: new MemoryPreparedStatements({ countMax: settings['sql.prepared_max'] }),
      renderer,
      observe,
      authenticator: auth.authenticator,
      onHealthAsked: () => readiness.asked(),
      certificates: auth.certificates,
    },
  );
  background.start();
  scrub?.start();

  const rest = made.move();
  return {
    log,
    http: http.address,
    grpc: flight.address,
    isTls: auth.certificates !== null,
    isOpen: auth.authenticator.isOpen,
    reload: () => {
      log.setLevel(settings['logging.level']);
      auth.limits.useServerLimits(tenantLimitValues(settings));
      auth.certificates?.look();
    },
    close: async () => {
      flight.stopSoon();
      await readiness.stop();
      // Both listeners drain at the same time: the deadline is one for all.
      await Promise.all([http.close(drainMs), flight.close(drainMs)]);
      await rest.disposeAsync();
    },
  };
}

function browserRules(settings: Settings): BrowserRules {
  const publicUrl = settings.public_url;
  const bound = settings['http.bind_address'];
  const names = [
    ...(settings['http.allowed_hosts'] ?? []),
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).hostname]),
    ...('host' in bound ? [bound.host] : []),
  ];
  return { hosts: new HostNames(names), corsOrigins: new Set(settings['http.cors_origins'] ?? []) };
}

function varyOf(settings: Settings): string {
  const headers = [
    'accept',
    ...(settings['http.compression'] ? ['accept-encoding'] : []),
    ...(settings['http.cors_origins'] === undefined ? [] : ['origin']),
  ];
  return headers.join(', ');
}

// Members that read a setting when they are asked for change with it (config/live-settings.ts).

function serverLimit(what: 'puts' | 'reads', settings: Settings): ServerLimit {
  return {
    what,
    get max() {
      return settings[`frames.${what}_max`];
    },
    get queueMax() {
      return settings['frames.queue_max'];
    },
    get waitMs() {
      return settings['frames.queue_wait_ms'];
    },
  };
}

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
    tempDirectory: join(settings['storage.data_dir'], 'sql-tmp'),
    analyticsPath: settings['storage.duckdb_path'] ?? null,
    observe,
  };
}

function connectionLimits(settings: Settings): ConnectionLimits {
  return {
    get maxConnections() {
      return settings['server.max_connections'];
    },
    get unauthenticatedMax() {
      return settings['server.unauthenticated_max'];
    },
    get perAddressMax() {
      return settings['server.connections_per_address_max'];
    },
  };
}

function squeezeLevels(settings: Settings): SqueezeLevels {
  const algorithm = settings['compression.algorithm'];
  const level = settings['compression.level'];
  const isSettled = settings['settle.threads'] > 0;
  return {
    // Arrow knows zstd and LZ4 only: it counts as compression wanted, whichever Parquet has.
    arrow: isSettled && algorithm !== 'none' ? level : null,
    parquet: isSettled && algorithm === 'zstd' && level > firstWriteLevel ? level : null,
  };
}

function composeUpstream({ url, authorization }: TsdbAccess, settings: Settings): Upstream {
  return new TsdbClient({
    url,
    authorization,
    timeoutMs: settings['tsdb.timeout_ms'],
    connectionsMax: settings['tsdb.connections_max'],
    urlBytesMax: settings['tsdb.url_bytes_max'],
  });
}

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
    get connectionsMax() {
      return settings['http.connections_max'];
    },
    get connectionsPerAddressMax() {
      return settings['http.connections_per_address_max'];
    },
    sqlTextBytesMax: settings['sql.text_bytes_max'],
  };
}
