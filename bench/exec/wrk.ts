import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface WrkResult {
  readonly requestsPerSecond: number;
  /** Answers other than 2xx, and broken connections: a result with any is no result. */
  readonly failures: number;
}

/** Asks one URL again and again, for some seconds. */
export async function wrk(
  url: string,
  seconds: number,
  headers: readonly string[] = [],
  connections = 8,
): Promise<WrkResult> {
  const given = headers.flatMap((header) => ['-H', header]);
  const { stdout } = await run('wrk', [
    '-t2',
    `-c${connections}`,
    `-d${seconds}s`,
    '--timeout',
    '10s',
    ...given,
    url,
  ]);
  const number = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0);
  const socketErrors =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(stdout)?.slice(1) ?? [];
  return {
    requestsPerSecond: number(/Requests\/sec:\s+([\d.]+)/),
    failures:
      number(/Non-2xx or 3xx responses: (\d+)/) + socketErrors.reduce((sum, count) => sum + Number(count), 0),
  };
}
