import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface WrkResult {
  readonly requests: number;
  readonly seconds: number;
  readonly requestsPerSecond: number;
  readonly p99Ms: number;
  /** Answers other than 2xx, and broken connections: a result with any is no result. */
  readonly failures: number;
}

export interface WrkOptions {
  readonly seconds: number;
  readonly headers?: readonly string[];
  readonly connections?: number;
  /** A Lua file that makes the requests, and what it is given. */
  readonly script?: { readonly file: string; readonly args: readonly string[] };
}

/** Sends requests to one server without a pause, for some seconds. */
export async function wrk(url: string, options: WrkOptions): Promise<WrkResult> {
  const { seconds, headers = [], connections = 8, script } = options;
  const { stdout } = await run('wrk', [
    `-t${Math.min(2, connections)}`,
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    '--latency',
    ...headers.flatMap((header) => ['-H', header]),
    ...(script === undefined ? [url] : ['-s', script.file, url, '--', ...script.args]),
  ]);
  return wrkResult(stdout);
}

const milliseconds: Readonly<Record<string, number>> = {
  us: 0.001,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** What wrk prints. */
export function wrkResult(output: string): WrkResult {
  const number = (pattern: RegExp) => Number(pattern.exec(output)?.[1] ?? 0);
  const socketErrors =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output)?.slice(1) ?? [];
  const [, requests, duration, durationUnit = 's'] =
    /(\d+) requests in ([\d.]+)(us|ms|s|m|h)/.exec(output) ?? [];
  const [, p99, p99Unit = 'ms'] = /^\s+99%\s+([\d.]+)(us|ms|s|m|h)/m.exec(output) ?? [];
  return {
    requests: Number(requests ?? 0),
    seconds: (Number(duration) * (milliseconds[durationUnit] ?? Number.NaN)) / 1_000,
    requestsPerSecond: number(/Requests\/sec:\s+([\d.]+)/),
    p99Ms: Number(p99) * (milliseconds[p99Unit] ?? Number.NaN),
    failures:
      number(/Non-2xx or 3xx responses: (\d+)/) + socketErrors.reduce((sum, count) => sum + Number(count), 0),
  };
}
