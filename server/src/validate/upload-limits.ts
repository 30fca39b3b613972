import { FrameholdError } from '../model/errors.ts';
import { WorkerExit } from '../workers/worker-exit.ts';

/**
 * Time that each MiB of an upload adds to what every upload may take. NDJSON, the slowest, takes 60 ms, and a MiB that unpacks to a
 * gigabyte about a second.
 */
const msPerMebibyte = 1_000;

type UploadWork = 'check' | 'decode' | 'convert';

/** How long an upload of this size may be worked on. */
export function workMsMax(timeMs: number, bytes: number): number {
  return timeMs + (bytes / 1024 / 1024) * msPerMebibyte;
}

export function timeExceeded(what: UploadWork, allowedMs: number): FrameholdError {
  return new FrameholdError(
    'bad_body',
    `The body took longer than ${Math.round(allowedMs / 1_000)} s to ${what}, which is much for its size.`,
    { hint: 'Send it in smaller pieces, or less compressed; decode.time_ms_max is the limit.' },
  );
}

function memoryExceeded(what: UploadWork, bytesMax: number): FrameholdError {
  const megabytes = Math.round(bytesMax / 1024 / 1024);
  return new FrameholdError('bad_body', `The body needed more than ${megabytes} MiB of memory to ${what}.`, {
    hint: 'Send smaller batches, row groups or lines; decode.memory_bytes_max is the limit.',
  });
}

/** The error for the sender if the upload's own worker was lost because of the upload. Any other error stays as it is. */
export function uploadFailure(
  thrown: unknown,
  what: UploadWork,
  limits: { readonly timeMs: number; readonly memoryBytesMax: number },
): unknown {
  if (!(thrown instanceof WorkerExit)) return thrown;
  if (thrown.reason === 'time' || thrown.reason === 'stuck') return timeExceeded(what, limits.timeMs);
  return thrown.reason === 'memory' ? memoryExceeded(what, limits.memoryBytesMax) : thrown;
}
