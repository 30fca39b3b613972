import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { EngineName } from '../model/engine-name.ts';
import { type Backlog, backlogCountMax } from '../ports/catalog/maintenance.ts';

/**
 * From a cached answer (under 1 ms) over a read (10 ms) and a proxied query (60 s is its bound) to a long export. Each bound
 * is one more series for each method, route and status: eleven are enough to distinguish the cases.
 */
const requestSeconds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300];
/** From one small batch to tens of gigabytes. */
const transferSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 60, 300, 1800];

/** A look-up takes a millisecond; one that takes longer than `catalog.timeout_ms` (5 s) fails. */
const lookupSeconds = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5];

export interface MetricsOptions {
  readonly version: string;
  /** Asked at each scrape. */
  readonly logLinesLost: () => number;
  /** Asked at each scrape. */
  readonly load: () => Load;
  /** Asked at each scrape: rejects if the server cannot serve. */
  readonly checkReady: () => Promise<void>;
  /** Asked at each scrape: rejects if it cannot be found out. */
  readonly backlog: () => Promise<Backlog>;
}

interface Occupancy {
  readonly running: number;
  readonly waiting: number;
}

/** What is under way right now. */
export interface Load {
  readonly puts: Occupancy;
  readonly reads: Occupancy;
  readonly statements: ReadonlyMap<EngineName, Occupancy>;
  readonly leasedObjects: number;
  readonly eventStreams: number;
  /** Open connections by listener; none of a listener that is off. */
  readonly connections: ReadonlyMap<string, number>;
  readonly pools: readonly (Occupancy & { readonly name: string })[];
  /** Age in milliseconds of the oldest lease of this process, by kind of work. */
  readonly leases: ReadonlyMap<string, number>;
  /** null on a server that shares nothing. */
  readonly shared: { readonly clockOffsetMs: number; readonly nodes: number } | null;
}

/** A server that takes longer to find out whether it is ready is not; Prometheus waits ten seconds by default. */
const askedWithinMs = 1_000;

const states = ['running', 'waiting'] as const;

export type Metrics = ReturnType<typeof createMetrics>;

/** Every metric. Labels come from closed lists of our own; a handle, a tenant or a path is never one. */
export function createMetrics({ version, logLinesLost, load, checkReady, backlog }: MetricsOptions) {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const counter = <Label extends string = never>(name: string, help: string, labelNames: Label[] = []) =>
    new Counter<Label>({ name: `framehold_${name}`, help, labelNames, registers });
  const histogram = <Label extends string = never>(
    name: string,
    help: string,
    buckets: number[],
    labelNames: Label[] = [],
  ) => new Histogram<Label>({ name: `framehold_${name}`, help, labelNames, buckets, registers });

  const buildInfo = new Gauge({
    name: 'framehold_build_info',
    help: 'Always 1; the label is the version.',
    labelNames: ['version'],
    registers,
  });
  buildInfo.set({ version }, 1);

  new Counter({
    name: 'framehold_log_lines_lost_total',
    help: 'Log lines lost because standard output was not read fast enough.',
    registers,
    collect() {
      this.reset();
      this.inc(logLinesLost());
    },
  });

  const gauge = <Label extends string>(
    name: string,
    help: string,
    labelNames: Label[],
    read: (gauge: Gauge<Label>) => void | Promise<void>,
  ) =>
    new Gauge<Label>({
      name: `framehold_${name}`,
      help,
      labelNames,
      registers,
      collect() {
        return read(this);
      },
    });
  gauge('puts_open', 'Puts in progress, and puts waiting for them.', ['state'], (each) => {
    for (const state of states) each.set({ state }, load().puts[state]);
  });
  gauge('reads_open', 'Reads in progress, and reads waiting for them.', ['state'], (each) => {
    for (const state of states) each.set({ state }, load().reads[state]);
  });
  gauge('sql_open', 'SQL statements running, and those waiting for a slot.', ['engine', 'state'], (each) => {
    for (const [engine, open] of load().statements)
      for (const state of states) each.set({ engine, state }, open[state]);
  });
  gauge('ready', '1 if the server can serve, as /readyz answers until it stops.', [], async (each) =>
    each.set((await isReady(checkReady)) ? 1 : 0),
  );
  gauge(
    'claims_oldest_seconds',
    'How long this server has been at background work that it leased; the oldest lease of each kind.',
    ['work'],
    (each) => {
      each.reset();
      for (const [work, ageMs] of load().leases) each.set({ work }, ageMs / 1_000);
    },
  );
  gauge(
    'catalog_clock_offset_seconds',
    'How far the clock of this node is ahead of the catalog. Only with a catalog in PostgreSQL.',
    [],
    (each) => {
      const { shared } = load();
      if (shared === null) each.remove();
      else each.set(shared.clockOffsetMs / 1_000);
    },
  );
  gauge(
    'nodes_live',
    'Nodes that share the catalog and have renewed their entry, as this node sees them. Only with a catalog in PostgreSQL.',
    [],
    (each) => {
      const { shared } = load();
      if (shared === null) each.remove();
      else each.set(shared.nodes);
    },
  );
  const backlogGauge = (name: string, help: string, read: (counted: Backlog) => number) =>
    gauge(name, `${help} The same on all nodes that share a catalog.`, [], async (each) => {
      const counted = await inTime(backlog());
      if (counted === null) each.remove();
      else each.set(read(counted));
    });
  const atMost = `At most ${backlogCountMax} are counted.`;
  backlogGauge(
    'settle_backlog_parts',
    `Parts without a Parquet copy that wait for one. ${atMost}`,
    (counted) => counted.untranscodedParts,
  );
  backlogGauge(
    'settle_backlog_bytes',
    'Arrow bytes of the parts that wait for a Parquet copy.',
    (counted) => counted.untranscodedBytes,
  );
  backlogGauge(
    'settle_backlog_oldest_seconds',
    'How long the oldest part has waited for its Parquet copy; 0 if none waits.',
    (counted) => counted.untranscodedOldestMs / 1_000,
  );
  backlogGauge(
    'merge_backlog_logs',
    `Frames to which rows were appended and whose small parts wait to be looked at, to be compacted. ${atMost}`,
    (counted) => counted.uncompactedLogs,
  );
  backlogGauge(
    'garbage_backlog_objects',
    `Stored objects that no version needs and that are not removed yet, those included that wait for \`jobs.garbage_delay_ms\`. ${atMost}`,
    (counted) => counted.garbageObjects,
  );
  gauge(
    'connections_open',
    'Open connections, those included that have not shown a credential.',
    ['listener'],
    (each) => {
      for (const [listener, count] of load().connections) each.set({ listener }, count);
    },
  );
  gauge('event_streams_open', 'Open streams of events.', [], (each) => each.set(load().eventStreams));
  gauge('leased_objects', 'Stored objects in use by reads.', [], (each) => each.set(load().leasedObjects));
  gauge(
    'worker_jobs',
    'Jobs running in worker threads, and jobs waiting for one.',
    ['pool', 'state'],
    (each) => {
      for (const pool of load().pools)
        for (const state of states) each.set({ pool: pool.name, state }, pool[state]);
    },
  );

  return {
    registry,
    httpRequests: counter('http_requests_total', 'HTTP requests answered.', ['method', 'route', 'status']),
    httpSeconds: histogram(
      'http_request_duration_seconds',
      'Time to the last byte of HTTP responses.',
      requestSeconds,
      ['method', 'route', 'status'],
    ),
    httpBytes: counter('http_response_bytes_total', 'Bytes of HTTP responses.', ['route']),
    httpBroken: counter('http_responses_broken_total', 'HTTP responses cut off before their end.', ['route']),
    flightCalls: counter('flight_calls_total', 'Flight calls ended.', ['method', 'status']),
    flightSeconds: histogram(
      'flight_call_duration_seconds',
      'Time to the end of Flight calls.',
      requestSeconds,
      ['method'],
    ),
    flightBytes: counter('flight_bytes_total', 'Bytes of Arrow data carried by Flight calls.', ['method']),
    postgresMessages: counter(
      'postgres_messages_total',
      'Statements run for clients of PostgreSQL (query, execute), and other messages of them that failed.',
      ['message', 'outcome'],
    ),
    postgresSeconds: histogram(
      'postgres_message_duration_seconds',
      'Time from the arrival of a message of a client of PostgreSQL to the end of its answer.',
      requestSeconds,
      ['message'],
    ),
    postgresBytes: counter('postgres_bytes_total', 'Bytes sent to clients of PostgreSQL.'),
    connectionsRefused: counter(
      'connections_refused_total',
      'Connections closed because there were too many, by the setting that limits them.',
      ['listener', 'limit'],
    ),
    audited: counter(
      'audited_total',
      'Lines of the audit log: changes done, requests refused, statements that failed in the external database.',
      ['outcome'],
    ),
    errors: counter('errors_total', 'Failed requests, by the stable code of the error.', ['code']),
    puts: counter('puts_total', 'Puts committed.', ['mode']),
    putRows: counter('put_rows_total', 'Rows put.'),
    putBytes: counter('put_bytes_total', 'Bytes put.'),
    putSeconds: histogram(
      'put_duration_seconds',
      'Time from the start of a put to its commit.',
      transferSeconds,
    ),
    reads: counter('reads_total', 'Reads started.', ['format']),
    drops: counter('drops_total', 'Names or versions dropped by callers.'),
    eventStreamsEnded: counter(
      'event_streams_ended_total',
      'Streams of events that ended: the reader left or was too slow, its credential ended, or the server stopped.',
      ['reason'],
    ),
    renderedCache: counter('rendered_cache_total', 'Lookups in the cache of rendered responses.', ['result']),
    objectCache: counter(
      'object_cache_total',
      'Objects opened, by whether this node had a copy. Only with objects in S3.',
      ['result'],
    ),
    fetchedBytes: counter('object_fetched_bytes_total', 'Bytes of objects fetched from S3.'),
    fetchSeconds: histogram(
      'object_fetch_duration_seconds',
      'Time to fetch an object from S3.',
      transferSeconds,
    ),
    cacheEvicted: counter('object_cache_evicted_total', 'Copies of objects removed to make room for others.'),
    cacheBytes: new Gauge({
      name: 'framehold_object_cache_bytes',
      help: 'Bytes of the copies of objects on this node.',
      registers,
    }),
    cacheObjects: new Gauge({
      name: 'framehold_object_cache_objects',
      help: 'Copies of objects on this node.',
      registers,
    }),
    s3Requests: counter(
      's3_requests_total',
      'Requests to S3. Those that failed and were repeated have the outcome retried.',
      ['operation', 'outcome'],
    ),
    transcodedParts: counter('settled_parts_total', 'Parts that got a Parquet form.', ['exact']),
    transcodedBytes: counter('settled_bytes_total', 'Bytes of Parquet written.'),
    transcodeSeconds: histogram('settle_duration_seconds', 'Time to transcode a part.', transferSeconds),
    transcodeRefused: counter('settle_refused_total', 'Parts that Parquet cannot represent.'),
    transcodeFailed: counter('settle_failed_total', 'Failed attempts to transcode a part.'),
    compactedParts: counter('merged_parts_total', 'Small parts replaced by larger ones with the same rows.'),
    compactedBytes: counter('merged_bytes_total', 'Bytes of Arrow written by compacting parts.'),
    compactSeconds: histogram('merge_duration_seconds', 'Time to compact a run of parts.', transferSeconds),
    compactRefused: counter('merge_refused_total', 'Parts that cannot be compacted with others.'),
    compactFailed: counter('merge_failed_total', 'Failed attempts to compact parts.'),
    gatheredParts: counter(
      'sql_gathered_parts_total',
      'Small parts written as one Parquet file for the statements that read them.',
    ),
    gatherSeconds: histogram(
      'sql_gather_duration_seconds',
      'Time to write a run of small parts as one Parquet file.',
      transferSeconds,
    ),
    sqlStatements: counter('sql_statements_total', 'SQL statements ended.', ['engine', 'kind', 'outcome']),
    sqlSeconds: histogram(
      'sql_duration_seconds',
      'Time from the arrival of a SQL statement to its last row.',
      requestSeconds,
      ['engine', 'kind'],
    ),
    sqlRows: counter('sql_rows_total', 'Rows that SQL statements returned or put.', ['engine', 'kind']),
    sqlAnswers: counter(
      'sql_answers_total',
      'SQL queries whose answer may be kept: given from memory (hit), or run (miss).',
      ['result'],
    ),
    sqlAnswersCached: new Gauge({
      name: 'framehold_sql_answers_kept',
      help: 'Answers of SQL queries in memory.',
      registers,
    }),
    sqlAnswersBytes: new Gauge({
      name: 'framehold_sql_answers_bytes',
      help: 'Memory for the answers of SQL queries, and for texts and columns of statements.',
      registers,
    }),
    historyLost: counter(
      'sql_history_lost_total',
      'Statements missing in the history of their callers, because the catalog could not keep up or failed.',
    ),
    recompressedParts: counter(
      'squeezed_parts_total',
      'Arrow forms recompressed, or kept because recompression saved too little.',
      ['form', 'result'],
    ),
    recompressedBytes: counter('squeezed_bytes_total', 'Bytes saved by recompressing forms.', ['form']),
    recompressSeconds: histogram('squeeze_duration_seconds', 'Time to recompress a form.', transferSeconds, [
      'form',
    ]),
    recompressFailed: counter('squeeze_failed_total', 'Failed attempts to recompress a form.', ['form']),
    evictedParts: counter('evicted_parts_total', 'Parts whose Arrow form was removed to free disk space.'),
    evictedBytes: counter('evicted_bytes_total', 'Bytes of Arrow forms removed to free disk space.'),
    objectsRemoved: counter('objects_removed_total', 'Objects removed because no version needs them.'),
    orphansRemoved: counter(
      'orphans_removed_total',
      'Objects of changes that were never committed, removed when they were two days old.',
    ),
    objectsDamaged: counter(
      'objects_damaged_total',
      'Stored objects whose bytes have changed; recovered if another form is read instead.',
      ['fault', 'recovered'],
    ),
    scrubbedObjects: counter('scrubbed_objects_total', 'Stored objects read and compared by the scrub.'),
    scrubbedBytes: counter('scrubbed_bytes_total', 'Bytes read and compared by the scrub.'),
    catalogLookupSeconds: histogram(
      'catalog_lookup_seconds',
      'Time of a statement that looks up names in PostgreSQL, for all requests that wait for one.',
      lookupSeconds,
    ),
    storeGuard: new Gauge({
      name: 'framehold_store_guard',
      help: '1: nothing is removed, because the bucket has seen a later state of the catalog, or belongs to another one.',
      registers: [registry],
    }),
    diskFree: new Gauge({
      name: 'framehold_disk_free_bytes',
      help: 'Free bytes on the disk of the Arrow forms.',
      registers,
    }),
    engineProcessesEnded: counter(
      'engine_processes_ended_total',
      'Processes of the SQL engine that crashed or were killed.',
      ['reason'],
    ),
    backgroundFailures: counter('background_failures_total', 'Background jobs that failed.', ['job']),
  };
}

async function isReady(checkReady: () => Promise<void>): Promise<boolean> {
  return (await inTime(checkReady().then(() => true))) ?? false;
}

/** null if it fails, or takes too long. */
async function inTime<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  const { promise: late, resolve } = Promise.withResolvers<null>();
  const timer = setTimeout(() => resolve(null), askedWithinMs);
  return await Promise.race([asked.catch(() => null), late]).finally(() => clearTimeout(timer));
}
