import { join } from 'node:path';
import { SqliteCatalog } from './catalog/sqlite/sqlite-catalog.ts';
import type { Settings } from './config/settings.ts';
import { productVersion } from './config/version.ts';
import type { FlightListener } from './flight/listener.ts';
import { startFlightListener } from './flight/listener.ts';
import { WorkerRenderer } from './formats/renderer.ts';
import { Background } from './frames/background/background.ts';
import { removeOrphans } from './frames/background/collection.ts';
import type { SqueezeLevels } from './frames/background/squeezing.ts';
import { openCaller } from './frames/caller.ts';
import { FrameholdError } from './frames/errors.ts';
import { FrameService } from './frames/frame-service.ts';
import { Leases } from './frames/leases.ts';
import type { Upstream } from './frames/ports/upstream.ts';
import type { HttpContext } from './http/context.ts';
import type { HttpListener } from './http/listener.ts';
import { startHttpListener } from './http/listener.ts';
import { RenderedCache } from './http/rendered-cache.ts';
import { firstWriteLevel } from './parquet/parquet-encodings.ts';
import { WorkerCodec } from './settle/worker-codec.ts';
import { openDataDirectory } from './store/data-directory.ts';
import { DiskStore } from './store/disk-store.ts';
import { Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';
import { createObserve } from './telemetry/observe.ts';
import { TsdbClient } from './upstream/tsdb-client.ts';

export interface RunningServer {
  readonly log: Log;
  readonly http: HttpListener['address'];
  readonly grpc: FlightListener['address'];
  /** Stops taking requests, lets running ones end, and closes everything in reverse. */
  close(): Promise<void>;
}

const bytesPerGigabyte = 1e9;

/** The only place where objects are made. What is made is closed in reverse, also where a later part fails to start. */
export async function compose(settings: Settings): Promise<RunningServer> {
  await using made = new AsyncDisposableStack();
  const log = made.adopt(
    new Log({ level: settings['logging.level'], format: settings['logging.format'] }),
    (open) => open.close(),
  );
  const metrics = createMetrics({ version: productVersion(), logLinesLost: () => log.linesLost });
  const observe = createObserve(log, metrics);
  const now = () => Date.now();

  const dataDirectory = settings['storage.data_dir'];
  const parquetDirectory = settings['storage.parquet_path'] ?? join(dataDirectory, 'cold');
  made.adopt(openDataDirectory(dataDirectory, parquetDirectory), (open) => open.release());
  const catalog = made.adopt(
    await SqliteCatalog.open({ path: join(dataDirectory, 'catalog.sqlite') }),
    (open) => open.close(),
  );
  const store = made.adopt(await DiskStore.open(dataDirectory, parquetDirectory), (open) => open.close());
  await removeOrphans(catalog, store, observe);

  const codec = made.adopt(
    new WorkerCodec({
      checkThreads: settings['decode.threads'],
      decodeThreads: settings['decode.threads'],
      settleThreads: Math.max(1, settings['settle.threads']),
      limits: { batchBytesMax: settings['frames.batch_bytes_max'] },
      compression: settings['compression.algorithm'],
    }),
    (open) => open.close(),
  );
  const renderer = made.adopt(new WorkerRenderer({ threads: settings['render.threads'] }), (open) =>
    open.close(),
  );

  const leases = new Leases();
  const cacheGigabytes = settings['storage.cache_size_gb'];
  const background = made.adopt(
    new Background(
      { catalog, store, codec, leases, observe, now },
      {
        settle: settings['settle.threads'] > 0,
        arrowBytesMax: cacheGigabytes === undefined ? null : cacheGigabytes * bytesPerGigabyte,
        squeeze: squeezeLevels(settings),
        versionsKeep: settings['frames.versions_keep'],
        sweepIntervalMs: settings['jobs.sweep_interval_ms'],
      },
    ),
    (open) => open.close(),
  );
  const frames = new FrameService({
    catalog,
    store,
    codec,
    leases,
    observe,
    now,
    putsMax: settings['frames.puts_max'],
    onPut: () => background.nudge(),
  });

  const upstream = composeUpstream(settings);
  if (upstream !== null) made.defer(() => upstream.close());
  let draining = false;
  const http = await startHttpListener(
    {
      frames,
      renderer,
      renderedCache: new RenderedCache(
        settings['cache.rendered_bytes_max'],
        settings['cache.rendered_entry_bytes_max'],
        observe,
      ),
      upstream,
      upstreamPathBytes: upstreamPathBytes(settings),
      observe,
      limits: httpLimits(settings),
      compression: settings['http.compression'],
      publicUrl: (settings.public_url ?? '').replace(/\/+$/, ''),
      trustProxy: settings['http.trust_proxy'],
      metrics: async () => ({
        contentType: metrics.registry.contentType,
        text: await metrics.registry.metrics(),
      }),
      ready: async () => {
        if (draining) throw new FrameholdError('draining', 'The server is stopping.');
        await catalog.ping();
      },
      callerOf: () => openCaller,
    },
    settings['http.bind_address'],
  );
  const drainMs = settings['server.drain_ms'];
  made.defer(() => http.close(drainMs));
  const flight = await startFlightListener(
    {
      host: settings['server.grpc_host'],
      port: settings['server.grpc_port'],
      maxConnections: settings['server.max_connections'],
      publicUrl: settings['server.grpc_public_url'] ?? null,
      limits: { messageBytesMax: settings['server.message_bytes_max'] },
    },
    { frames, renderer, observe },
  );
  background.start();

  const rest = made.move();
  return {
    log,
    http: http.address,
    grpc: flight.address,
    close: async () => {
      draining = true;
      // Both listeners drain at the same time: the deadline is one for all.
      await Promise.all([http.close(drainMs), flight.close(drainMs)]);
      await rest.disposeAsync();
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

function composeUpstream(settings: Settings): Upstream | null {
  const url = settings['tsdb.http_url'];
  if (url === undefined) return null;
  return new TsdbClient({
    url,
    timeoutMs: settings['tsdb.timeout_ms'],
    connectionsMax: settings['tsdb.connections_max'],
  });
}

function upstreamPathBytes(settings: Settings): number {
  const url = settings['tsdb.http_url'];
  return url === undefined ? 0 : Buffer.byteLength(`${new URL(url).pathname.replace(/\/+$/, '')}/exec?`);
}

function httpLimits(settings: Settings): HttpContext['limits'] {
  return {
    limitMax: settings['http.limit_max'],
    bodyBytesMax: settings['http.body_bytes_max'],
    urlBytesMax: settings['http.url_bytes_max'],
    headerBytesMax: settings['http.header_bytes_max'],
    bodyIdleMs: settings['http.request_timeout_ms'],
    keepAliveMs: settings['http.keep_alive_ms'],
    connectionsMax: settings['http.connections_max'],
    tsdbUrlBytesMax: settings['tsdb.url_bytes_max'],
  };
}
