import { errorKinds } from '../model/errors.ts';
import type { Observation, Observe } from '../ports/observation.ts';
import { describeError } from './describe-error.ts';
import type { Log } from './log.ts';
import type { LogLevel } from './log-entry.ts';
import type { Metrics } from './metrics.ts';

type ObservationOf<Event extends Observation['event']> = Extract<Observation, { event: Event }>;

const statusClasses = ['other', '1xx', '2xx', '3xx', '4xx', '5xx'];
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
/** By number, as the gRPC protocol names them. */
const grpcStatuses = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
];
/** A flood of refused connections must not become a flood of lines. */
const refusalLineEveryMs = 1_000;

/** Turns what happened into log lines and metrics. The only place that decides which. */
export function createObserve(log: Log, metrics: Metrics): Observe {
  let refusedUntold = 0;
  let refusalToldAt = Number.NEGATIVE_INFINITY;

  function refused(observation: ObservationOf<'connection-refused'>): void {
    metrics.connectionsRefused.inc({ listener: observation.listener, limit: observation.setting });
    refusedUntold += 1;
    const now = performance.now();
    if (now - refusalToldAt < refusalLineEveryMs) return;
    log.write('warn', { ...observation, count: refusedUntold });
    refusedUntold = 0;
    refusalToldAt = now;
  }

  return (observation) => {
    switch (observation.event) {
      case 'audit':
        metrics.audited.inc({ outcome: observation.outcome });
        return log.always(observation);
      case 'certificates-reloaded':
        return log.write('info', observation);
      case 'certificates-failed':
        return log.write('error', { ...observation, error: describeError(observation.error) });
      case 'http-request':
        return observeHttp(observation, log, metrics);
      case 'flight-call':
        return observeFlight(observation, log, metrics);
      case 'postgres-message':
        return observePostgres(observation, log, metrics);
      case 'request-failed':
        metrics.errors.inc({ code: observation.kind });
        return logFailure(observation, log);
      case 'connection-refused':
        return refused(observation);
      case 'event-stream-ended':
        return metrics.eventStreamsEnded.inc({ reason: observation.reason });
      case 'rendered-cache':
        return metrics.renderedCache.inc({ result: observation.hit ? 'hit' : 'miss' });
      case 'sql-answer':
        return metrics.sqlAnswers.inc({ result: observation.hit ? 'hit' : 'miss' });
      case 'sql-answers':
        metrics.sqlAnswersCached.set(observation.count);
        return metrics.sqlAnswersBytes.set(observation.bytes);
      case 'object-cache':
        return metrics.objectCache.inc({ result: observation.hit ? 'hit' : 'miss' });
      case 'object-fetched':
        metrics.fetchedBytes.inc(observation.bytes);
        return metrics.fetchSeconds.observe(observation.durationMs / 1_000);
      case 'cache-evicted':
        return metrics.cacheEvicted.inc(observation.count);
      case 'cache-size':
        metrics.cacheBytes.set(observation.bytes);
        return metrics.cacheObjects.set(observation.objects);
      case 'catalog-lookup':
        return metrics.catalogLookupSeconds.observe(observation.durationMs / 1_000);
      case 's3-requests':
        return metrics.s3Requests.inc(
          { operation: observation.operation, outcome: observation.outcome },
          observation.count,
        );
      case 'put':
        metrics.puts.inc({ mode: observation.mode });
        metrics.putRows.inc(observation.rows);
        metrics.putBytes.inc(observation.bytes);
        metrics.putSeconds.observe(observation.durationMs / 1_000);
        return log.write('info', observation);
      case 'read':
        metrics.reads.inc({ format: observation.format });
        return log.write('debug', observation);
      case 'dropped':
        metrics.drops.inc();
        return log.write('info', observation);
      case 'expiry-set':
      case 'versions-keep-set':
      case 'undropped':
      case 'restored':
        return log.write('info', observation);
      case 'dropped-released':
        return log.write('warn', observation);
      case 'settled':
        metrics.transcodedParts.inc({ exact: String(observation.exact) });
        metrics.transcodedBytes.inc(observation.bytes);
        metrics.transcodeSeconds.observe(observation.durationMs / 1_000);
        return log.write('debug', observation);
      case 'settle-refused':
        metrics.transcodeRefused.inc();
        return log.write('info', observation);
      case 'settle-failed':
        metrics.transcodeFailed.inc();
        return log.write('error', { ...observation, error: describeError(observation.error) });
      case 'merged':
        metrics.compactedParts.inc(observation.parts);
        metrics.compactedBytes.inc(observation.bytes);
        metrics.compactSeconds.observe(observation.durationMs / 1_000);
        return log.write('debug', observation);
      case 'merge-refused':
        metrics.compactRefused.inc();
        return log.write('info', observation);
      case 'merge-failed':
        metrics.compactFailed.inc();
        return log.write('error', { ...observation, error: describeError(observation.error) });
      case 'gathered':
        metrics.gatheredParts.inc(observation.parts);
        metrics.gatherSeconds.observe(observation.durationMs / 1_000);
        return log.write('debug', observation);
      case 'sql':
        return observeSql(observation, log, metrics);
      case 'squeezed': {
        const { form, bytes, bytesBefore } = observation;
        metrics.recompressedParts.inc({ form, result: bytes < bytesBefore ? 'smaller' : 'kept' });
        metrics.recompressedBytes.inc({ form }, bytesBefore - bytes);
        metrics.recompressSeconds.observe({ form }, observation.durationMs / 1_000);
        return log.write('debug', observation);
      }
      case 'squeeze-failed':
        metrics.recompressFailed.inc({ form: observation.form });
        return log.write('error', { ...observation, error: describeError(observation.error) });
      case 'evicted':
        metrics.evictedParts.inc();
        metrics.evictedBytes.inc(observation.bytes);
        return log.write('debug', observation);
      case 'objects-removed':
        metrics.objectsRemoved.inc(observation.count);
        return log.write('debug', observation);
      case 'orphans-removed':
        metrics.orphansRemoved.inc(observation.count);
        return log.write('info', observation);
      case 'restore-guard':
        metrics.storeGuard.set(observation.state === 'sound' ? 0 : 1);
        return log.write(observation.state === 'sound' ? 'info' : 'error', observation);
      case 'node-outdated':
        return log.write('error', observation);
      case 'object-damaged':
        metrics.objectsDamaged.inc({ fault: observation.fault, recovered: String(observation.recovered) });
        return log.write('error', observation);
      case 'object-sound-again':
      case 'damaged-removed':
        return log.write('warn', observation);
      case 'scrubbed':
        metrics.scrubbedObjects.inc(observation.objects);
        metrics.scrubbedBytes.inc(observation.bytes);
        return log.write('info', observation);
      case 'disk-room':
        return metrics.diskFree.set(observation.freeBytes);
      case 'disk-low':
        return log.write('warn', observation);
      case 'spark-silent':
        return log.write('error', { ...observation, error: describeError(observation.error) });
      case 'disk-room-again':
      case 'spark-answers-again':
      case 'settle-paused':
        return log.write('info', observation);
      case 'engine-process-ended':
        metrics.engineProcessesEnded.inc({ reason: observation.reason });
        return log.write('warn', observation);
      case 'history-lost': {
        metrics.historyLost.inc(observation.count);
        const { error } = observation;
        return log.write('warn', { ...observation, error: error === null ? null : describeError(error) });
      }
      case 'background-failed':
        metrics.backgroundFailures.inc({ job: observation.job });
        return log.write('error', { ...observation, error: describeError(observation.error) });
      default:
        return observation satisfies never;
    }
  };
}

function observeHttp(
  { isProbe, ...observation }: ObservationOf<'http-request'>,
  log: Log,
  metrics: Metrics,
): void {
  const { route } = observation;
  const labels = {
    method: methods.has(observation.method) ? observation.method : 'other',
    route,
    status: statusClasses[Math.floor(observation.status / 100)] ?? 'other',
  };
  metrics.httpRequests.inc(labels);
  metrics.httpSeconds.observe(labels, observation.durationMs / 1_000);
  metrics.httpBytes.inc({ route }, observation.bytes);
  if (observation.broken) metrics.httpBroken.inc({ route });
  log.write(isProbe && observation.status < 400 ? 'debug' : 'info', observation);
}

function observeFlight(observation: ObservationOf<'flight-call'>, log: Log, metrics: Metrics): void {
  const { method } = observation;
  const status = grpcStatuses[observation.status] ?? 'other';
  metrics.flightCalls.inc({ method, status });
  metrics.flightSeconds.observe({ method }, observation.durationMs / 1_000);
  metrics.flightBytes.inc({ method }, observation.bytes);
  log.write('info', { ...observation, status });
}

function observePostgres(observation: ObservationOf<'postgres-message'>, log: Log, metrics: Metrics): void {
  const { message } = observation;
  metrics.postgresMessages.inc({ message, outcome: observation.sqlState === '00000' ? 'ok' : 'failed' });
  metrics.postgresSeconds.observe({ message }, observation.durationMs / 1_000);
  metrics.postgresBytes.inc(observation.bytes);
  log.write('info', observation);
}

function observeSql({ text, ...observation }: ObservationOf<'sql'>, log: Log, metrics: Metrics): void {
  const kind = observation.kind ?? 'unknown';
  const { engine } = observation;
  metrics.sqlStatements.inc({ engine, kind, outcome: observation.outcome });
  metrics.sqlSeconds.observe({ engine, kind }, observation.durationMs / 1_000);
  metrics.sqlRows.inc({ engine, kind }, observation.rows);
  log.write('info', log.enabled('debug') ? { ...observation, text } : observation);
}

/** The caller got the reason for a bad request; an internal fault is only logged here, with its cause. */
function logFailure({ cause, ...observation }: ObservationOf<'request-failed'>, log: Log): void {
  const { status } = errorKinds[observation.kind];
  const level: LogLevel = observation.kind === 'internal' ? 'error' : status >= 500 ? 'warn' : 'debug';
  // First: what a caller did wrong is usually not logged, and to describe its cause takes longer than to answer it.
  if (!log.enabled(level)) return;
  const shown = cause === undefined || cause === null ? {} : { cause: describeError(cause) };
  log.write(level, { ...observation, ...shown });
}
