import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Observation } from '../../src/ports/observation.ts';
import { renderMetricsDocument } from '../../src/telemetry/document.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import { createObserve } from '../../src/telemetry/observe.ts';
import { repositoryRoot } from '../support/repository.ts';
import { linesOf } from './log-lines.ts';

const load = {
  puts: { running: 0, waiting: 0 },
  reads: { running: 0, waiting: 0 },
  statements: new Map([['duckdb' as const, { running: 0, waiting: 0 }]]),
  leasedObjects: 0,
  eventStreams: 0,
  connections: new Map<string, number>(),
  pools: [],
  leases: new Map<string, number>(),
  shared: null,
};
/** Not ready, so that the sample is zero. */
const checkReady = () => Promise.reject(new Error('not ready'));

interface Seen {
  readonly lines: readonly Record<string, unknown>[];
  /** Samples of our own metrics that are not zero, without the buckets. */
  readonly samples: readonly string[];
  readonly scrape: string;
}

const backlog = () => Promise.reject(new Error('nothing is counted'));

async function observe(...observations: readonly Observation[]): Promise<Seen> {
  const metrics = createMetrics({
    version: '1.2.3',
    logLinesLost: () => 0,
    load: () => load,
    checkReady,
    backlog,
  });
  const lines = await linesOf({ level: 'trace', format: 'json' }, (log) => {
    const see = createObserve(log, metrics);
    for (const observation of observations) see(observation);
  });
  const scrape = await metrics.registry.metrics();
  const samples = scrape
    .split('\n')
    .filter(
      (line) => /^framehold_(?!build_info)/.test(line) && !line.includes('_bucket') && !line.endsWith(' 0'),
    );
  return { lines: lines.map((line) => JSON.parse(line) as Record<string, unknown>), samples, scrape };
}

const http: Extract<Observation, { event: 'http-request' }> = {
  event: 'http-request',
  requestId: 'r1',
  method: 'GET',
  route: '/exec',
  isProbe: false,
  path: '/exec',
  status: 200,
  bytes: 10,
  durationMs: 2,
  tenant: 'acme',
  caller: 'caller-x',
  remote: '127.0.0.1',
  broken: false,
};
const frame = { tenant: 'tenant-x', name: 'name-x', version: 3 } as const;
const failed = { event: 'request-failed', requestId: 'r1', detail: 'detail-x', cause: undefined } as const;

interface Case {
  readonly what: string;
  readonly observation: Observation;
  /** The level of its line; null if it makes none. */
  readonly level: string | null;
  readonly samples: readonly string[];
}

const statement: Extract<Observation, { event: 'sql' }> = {
  event: 'sql',
  statement: 'q1',
  requestId: 'r1',
  frames: ['trades'],
  tenant: 'acme',
  caller: 'caller-x',
  kind: 'query',
  engine: 'duckdb',
  outcome: 'ok',
  rows: 7,
  queueMs: 1,
  prepareMs: 2,
  durationMs: 4,
  text: 'select secret-x',
};

const cases: readonly Case[] = [
  {
    what: 'a SQL statement',
    observation: statement,
    level: 'info',
    samples: [
      'framehold_sql_statements_total{engine="duckdb",kind="query",outcome="ok"} 1',
      'framehold_sql_duration_seconds_sum{engine="duckdb",kind="query"} 0.004',
      'framehold_sql_duration_seconds_count{engine="duckdb",kind="query"} 1',
      'framehold_sql_rows_total{engine="duckdb",kind="query"} 7',
    ],
  },
  {
    what: 'a SQL statement that was never taken apart',
    observation: { ...statement, kind: null, outcome: 'sql_invalid', rows: 0, durationMs: 0 },
    level: 'info',
    samples: [
      'framehold_sql_statements_total{engine="duckdb",kind="unknown",outcome="sql_invalid"} 1',
      'framehold_sql_duration_seconds_count{engine="duckdb",kind="unknown"} 1',
    ],
  },
  {
    what: 'small parts in a scratch copy for a statement',
    observation: { event: 'gathered', parts: 9, bytes: 10, durationMs: 0 },
    level: 'debug',
    samples: ['framehold_sql_gathered_parts_total 9', 'framehold_sql_gather_duration_seconds_count 1'],
  },
  {
    what: 'an HTTP request',
    observation: http,
    level: 'info',
    samples: [
      'framehold_http_requests_total{method="GET",route="/exec",status="2xx"} 1',
      'framehold_http_request_duration_seconds_sum{method="GET",route="/exec",status="2xx"} 0.002',
      'framehold_http_request_duration_seconds_count{method="GET",route="/exec",status="2xx"} 1',
      'framehold_http_response_bytes_total{route="/exec"} 10',
    ],
  },
  {
    what: 'an HTTP answer that was cut off',
    observation: { ...http, broken: true, bytes: 0, durationMs: 0 },
    level: 'info',
    samples: [
      'framehold_http_requests_total{method="GET",route="/exec",status="2xx"} 1',
      'framehold_http_request_duration_seconds_count{method="GET",route="/exec",status="2xx"} 1',
      'framehold_http_responses_broken_total{route="/exec"} 1',
    ],
  },
  {
    what: 'a health check',
    observation: { ...http, route: '/ping', isProbe: true, bytes: 0, durationMs: 0 },
    level: 'debug',
    samples: [
      'framehold_http_requests_total{method="GET",route="/ping",status="2xx"} 1',
      'framehold_http_request_duration_seconds_count{method="GET",route="/ping",status="2xx"} 1',
    ],
  },
  {
    what: 'a failing health check of a rare method',
    observation: {
      ...http,
      method: 'PROPFIND',
      route: '/readyz',
      isProbe: true,
      status: 503,
      bytes: 0,
      durationMs: 0,
    },
    level: 'info',
    samples: [
      'framehold_http_requests_total{method="other",route="/readyz",status="5xx"} 1',
      'framehold_http_request_duration_seconds_count{method="other",route="/readyz",status="5xx"} 1',
    ],
  },
  {
    what: 'a Flight call',
    observation: {
      event: 'flight-call',
      requestId: 'r1',
      method: 'DoGet',
      status: 5,
      durationMs: 4,
      bytes: 7,
      tenant: 'acme',
      caller: 'caller-x',
      remote: '127.0.0.1',
    },
    level: 'info',
    samples: [
      'framehold_flight_calls_total{method="DoGet",status="NOT_FOUND"} 1',
      'framehold_flight_call_duration_seconds_sum{method="DoGet"} 0.004',
      'framehold_flight_call_duration_seconds_count{method="DoGet"} 1',
      'framehold_flight_bytes_total{method="DoGet"} 7',
    ],
  },
  {
    what: 'a put',
    observation: { event: 'put', ...frame, mode: 'append', rows: 5, bytes: 50, durationMs: 500 },
    level: 'info',
    samples: [
      'framehold_puts_total{mode="append"} 1',
      'framehold_put_rows_total 5',
      'framehold_put_bytes_total 50',
      'framehold_put_duration_seconds_sum 0.5',
      'framehold_put_duration_seconds_count 1',
    ],
  },
  {
    what: 'a read',
    observation: { event: 'read', ...frame, format: 'csv' },
    level: 'debug',
    samples: ['framehold_reads_total{format="csv"} 1'],
  },
  {
    what: 'a drop',
    observation: { event: 'dropped', ...frame, purged: false },
    level: 'info',
    samples: ['framehold_drops_total 1'],
  },
  {
    what: 'an undrop',
    observation: { event: 'undropped', ...frame },
    level: 'info',
    samples: [],
  },
  {
    what: 'a restore',
    observation: { event: 'restored', ...frame, from: 1 },
    level: 'info',
    samples: [],
  },
  {
    what: 'a dropped frame given up for room',
    observation: { event: 'dropped-released', tenant: 'tenant-x', name: 'name-x' },
    level: 'warn',
    samples: [],
  },
  {
    what: 'an expiry',
    observation: { event: 'expiry-set', tenant: 'tenant-x', name: 'name-x', expiresAt: 1 },
    level: 'info',
    samples: [],
  },
  {
    what: 'how many versions a frame keeps',
    observation: { event: 'versions-keep-set', tenant: 'tenant-x', name: 'name-x', versionsKeep: 1 },
    level: 'info',
    samples: [],
  },
  {
    what: 'a transcoded part',
    observation: { event: 'settled', partId: 'part-x', files: 1, bytes: 9, exact: true, durationMs: 1_000 },
    level: 'debug',
    samples: [
      'framehold_settled_parts_total{exact="true"} 1',
      'framehold_settled_bytes_total 9',
      'framehold_settle_duration_seconds_sum 1',
      'framehold_settle_duration_seconds_count 1',
    ],
  },
  {
    what: 'a part that Parquet cannot hold',
    observation: { event: 'settle-refused', partId: 'part-x', reason: 'a union' },
    level: 'info',
    samples: ['framehold_settle_refused_total 1'],
  },
  {
    what: 'a failed transcode',
    observation: { event: 'settle-failed', partId: 'part-x', error: new Error('cause-x') },
    level: 'error',
    samples: ['framehold_settle_failed_total 1'],
  },
  {
    what: 'a form compressed anew',
    observation: {
      event: 'squeezed',
      partId: 'part-x',
      form: 'arrow',
      zstdLevel: 3,
      bytesBefore: 10,
      bytes: 4,
      durationMs: 1_000,
    },
    level: 'debug',
    samples: [
      'framehold_squeezed_parts_total{form="arrow",result="smaller"} 1',
      'framehold_squeezed_bytes_total{form="arrow"} 6',
      'framehold_squeeze_duration_seconds_sum{form="arrow"} 1',
      'framehold_squeeze_duration_seconds_count{form="arrow"} 1',
    ],
  },
  {
    what: 'a form that would not get smaller',
    observation: {
      event: 'squeezed',
      partId: 'part-x',
      form: 'arrow',
      zstdLevel: 9,
      bytesBefore: 10,
      bytes: 10,
      durationMs: 1_000,
    },
    level: 'debug',
    samples: [
      'framehold_squeezed_parts_total{form="arrow",result="kept"} 1',
      'framehold_squeeze_duration_seconds_sum{form="arrow"} 1',
      'framehold_squeeze_duration_seconds_count{form="arrow"} 1',
    ],
  },
  {
    what: 'a form that could not be compressed anew',
    observation: { event: 'squeeze-failed', partId: 'part-x', form: 'arrow', error: new Error('cause-x') },
    level: 'error',
    samples: ['framehold_squeeze_failed_total{form="arrow"} 1'],
  },
  {
    what: 'an eviction',
    observation: { event: 'evicted', partId: 'part-x', bytes: 6 },
    level: 'debug',
    samples: ['framehold_evicted_parts_total 1', 'framehold_evicted_bytes_total 6'],
  },
  {
    what: 'removed objects',
    observation: { event: 'objects-removed', count: 2 },
    level: 'debug',
    samples: ['framehold_objects_removed_total 2'],
  },
  {
    what: 'removed orphans',
    observation: { event: 'orphans-removed', count: 3 },
    level: 'info',
    samples: ['framehold_orphans_removed_total 3'],
  },
  {
    what: 'a failed background job',
    observation: { event: 'background-failed', job: 'sweep', error: new Error('cause-x') },
    level: 'error',
    samples: ['framehold_background_failures_total{job="sweep"} 1'],
  },
  {
    what: 'a fault of ours',
    observation: { ...failed, kind: 'internal', cause: new Error('cause-x') },
    level: 'error',
    samples: ['framehold_errors_total{code="internal"} 1'],
  },
  {
    what: 'a failure of another part',
    observation: { ...failed, kind: 'tsdb_failed' },
    level: 'warn',
    samples: ['framehold_errors_total{code="tsdb_failed"} 1'],
  },
  {
    what: 'a wrong request',
    observation: { ...failed, kind: 'frame_not_found' },
    level: 'debug',
    samples: ['framehold_errors_total{code="frame_not_found"} 1'],
  },
  {
    what: 'a refused connection',
    observation: {
      event: 'connection-refused',
      listener: 'flight',
      setting: 'server.max_connections',
      limit: 100,
    },
    level: 'warn',
    samples: ['framehold_connections_refused_total{listener="flight",limit="server.max_connections"} 1'],
  },
  {
    what: 'a hit of the rendered cache',
    observation: { event: 'rendered-cache', hit: true },
    level: null,
    samples: ['framehold_rendered_cache_total{result="hit"} 1'],
  },
  {
    what: 'a miss of the rendered cache',
    observation: { event: 'rendered-cache', hit: false },
    level: null,
    samples: ['framehold_rendered_cache_total{result="miss"} 1'],
  },
  {
    what: 'a statement that was answered from memory',
    observation: { event: 'sql-answer', hit: true },
    level: null,
    samples: ['framehold_sql_answers_total{result="hit"} 1'],
  },
  {
    what: 'a statement that ran because its answer was not kept',
    observation: { event: 'sql-answer', hit: false },
    level: null,
    samples: ['framehold_sql_answers_total{result="miss"} 1'],
  },
  {
    what: 'the answers in memory',
    observation: { event: 'sql-answers', count: 3, bytes: 4096 },
    level: null,
    samples: ['framehold_sql_answers_kept 3', 'framehold_sql_answers_bytes 4096'],
  },
];

for (const { what, observation, level, samples } of cases) {
  test(`${what}: ${level === null ? 'no line' : `a line at ${level}`}, and ${samples.length} samples`, async () => {
    const seen = await observe(observation);
    assert.deepEqual(
      seen.lines.map((line) => [line.level, line.event]),
      level === null ? [] : [[level, observation.event]],
    );
    assert.deepEqual([...seen.samples].sort(), [...samples].sort());
    assert.ok(
      !/(tenant|name|caller|part|detail|cause)-x/.test(seen.scrape),
      'a label names something unbounded',
    );
  });
}

test('the cause of a fault is in the log, with its stack', async () => {
  const { lines } = await observe({ ...failed, kind: 'internal', cause: new Error('cause-x') });
  const { cause } = lines[0] as { cause: { message: string; stack: string } };
  assert.equal(cause.message, 'cause-x');
  assert.match(cause.stack, /observe\.test/);
});

test('the text of a statement is in the log at debug only, and never in a metric', async () => {
  const metrics = createMetrics({
    version: '1.2.3',
    logLinesLost: () => 0,
    load: () => load,
    checkReady,
    backlog,
  });
  const at = (level: 'info' | 'debug') =>
    linesOf({ level, format: 'json' }, (log) => createObserve(log, metrics)(statement));
  const [plain = ''] = await at('info');
  const [detailed = ''] = await at('debug');
  assert.equal(JSON.parse(plain).statement, 'q1');
  assert.doesNotMatch(plain, /secret-x/);
  assert.match(detailed, /secret-x/);
  assert.doesNotMatch(await metrics.registry.metrics(), /secret-x/);
});

test('a flood of refused connections makes one line, and all are counted', async () => {
  const refusal: Observation = {
    event: 'connection-refused',
    listener: 'http',
    setting: 'http.connections_max',
    limit: 1,
  };
  const seen = await observe(...Array.from({ length: 100 }, () => refusal));
  assert.equal(seen.lines.length, 1);
  assert.deepEqual(seen.samples, [
    'framehold_connections_refused_total{listener="http",limit="http.connections_max"} 100',
  ]);
});

test('lost log lines and the version are metrics', async () => {
  const { registry } = createMetrics({
    version: '1.2.3',
    logLinesLost: () => 7,
    load: () => load,
    checkReady,
    backlog,
  });
  for (let scrape = 0; scrape < 2; scrape++) {
    const text = await registry.metrics();
    assert.match(text, /^framehold_log_lines_lost_total 7$/m);
    assert.match(text, /^framehold_build_info\{version="1\.2\.3"\} 1$/m);
  }
});

test('what is under way is asked at each scrape', async () => {
  let running = 1;
  const pools = [{ name: 'render', running: 4, waiting: 5 }];
  const { registry } = createMetrics({
    version: '1.2.3',
    logLinesLost: () => 0,
    load: () => ({
      puts: { running, waiting: 2 },
      reads: { running: 3, waiting: 0 },
      statements: new Map([['duckdb' as const, { running: 0, waiting: 0 }]]),
      leasedObjects: 6,
      eventStreams: 3,
      connections: new Map([['postgres', 7]]),
      pools,
      leases: new Map(),
      shared: null,
    }),
    checkReady,
    backlog,
  });
  for (; running < 3; running++) {
    const text = await registry.metrics();
    assert.match(text, new RegExp(`^framehold_puts_open\\{state="running"\\} ${running}$`, 'm'));
    assert.match(text, /^framehold_puts_open\{state="waiting"\} 2$/m);
    assert.match(text, /^framehold_reads_open\{state="running"\} 3$/m);
    assert.match(text, /^framehold_leased_objects 6$/m);
    assert.match(text, /^framehold_event_streams_open 3$/m);
    assert.match(text, /^framehold_connections_open\{listener="postgres"\} 7$/m);
    assert.match(text, /^framehold_worker_jobs\{pool="render",state="waiting"\} 5$/m);
  }
});

test('docs/reference/metrics.md is what the registry says; if not, run node scripts/write-reference.ts', {
  skip: process.platform === 'linux' ? false : 'other systems have fewer process metrics',
}, () => {
  const written = readFileSync(join(repositoryRoot, 'docs/reference/metrics.md'), 'utf8');
  assert.equal(written, renderMetricsDocument());
});

test('leases are measured while they are held, and what nodes share only by nodes that share', async () => {
  const leases = new Map([['settle', 90_000]]);
  let shared: { clockOffsetMs: number; nodes: number } | null = { clockOffsetMs: -1_500, nodes: 3 };
  const { registry } = createMetrics({
    version: '1.2.3',
    logLinesLost: () => 0,
    load: () => ({ ...load, leases, shared }),
    checkReady,
    backlog,
  });
  const first = await registry.metrics();
  assert.match(first, /^framehold_claims_oldest_seconds\{work="settle"\} 90$/m);
  assert.match(first, /^framehold_catalog_clock_offset_seconds -1\.5$/m);
  assert.match(first, /^framehold_nodes_live 3$/m);
  leases.clear();
  shared = null;
  const second = await registry.metrics();
  assert.doesNotMatch(second, /^framehold_(leases_oldest|catalog_clock|nodes_live)/m);
});

test('a server that cannot serve, or does not know within a second, is not ready', async () => {
  for (const [check, value] of [
    [async () => {}, 1],
    [() => Promise.reject(new Error('no database')), 0],
    [() => new Promise<void>(() => {}), 0],
  ] as const) {
    const { registry } = createMetrics({
      version: '1.2.3',
      logLinesLost: () => 0,
      load: () => load,
      checkReady: check,
      backlog,
    });
    assert.match(await registry.metrics(), new RegExp(`^framehold_ready ${value}$`, 'm'));
  }
});

test('what waits for the background is a metric, and none if it is not known', async () => {
  const counted = {
    untranscodedParts: 4,
    untranscodedBytes: 900,
    untranscodedSince: 5,
    untranscodedOldestMs: 90_500,
    uncompactedLogs: 2,
    garbageObjects: 7,
  };
  let answer: Promise<typeof counted> = Promise.resolve(counted);
  const options = { version: '1.2.3', logLinesLost: () => 0, load: () => load, checkReady };
  const { registry } = createMetrics({ ...options, backlog: () => answer });
  const samples = async () =>
    (await registry.metrics()).split('\n').filter((line) => /^framehold_\w+_backlog_/.test(line));
  assert.deepEqual(await samples(), [
    'framehold_settle_backlog_parts 4',
    'framehold_settle_backlog_bytes 900',
    'framehold_settle_backlog_oldest_seconds 90.5',
    'framehold_merge_backlog_logs 2',
    'framehold_garbage_backlog_objects 7',
  ]);
  answer = Promise.reject(new Error('no database'));
  assert.deepEqual(await samples(), []);
});

test('the cause of a mistake that is not logged is not described: that takes longer than to answer it', async () => {
  let isRead = false;
  const cause = Object.defineProperty(new Error('of the caller'), 'stack', {
    get: () => {
      isRead = true;
      return '';
    },
  });
  const metrics = createMetrics({
    version: '1.2.3',
    logLinesLost: () => 0,
    load: () => load,
    checkReady,
    backlog,
  });
  const lines = await linesOf({ level: 'info', format: 'json' }, (log) =>
    createObserve(log, metrics)({ ...failed, kind: 'bad_request', cause }),
  );
  assert.deepEqual([lines, isRead], [[], false]);
});
