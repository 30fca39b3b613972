import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { Watch } from '../../../server/test/fuzz/wire/wire-watch.ts';
import type { Framehold } from '../../../server/test/support/framehold-process.ts';
import { assertTook } from '../../../server/test/support/machine-pace.ts';
import { eventually } from '../../../server/test/support/patience.ts';

/** While somebody does their worst, the slowest answer for a good caller. Mostly it is far less; tests share their processors with others. */
const goodCallerMaxMs = 5_000;

export interface AttackLimits {
  /** Resident memory above what it was before. */
  readonly growthMegabytes: number;
  /** What the good caller asks for. */
  readonly paths?: readonly string[];
}

/** Runs the attack with a good caller beside it, who must be served all the time; the server may grow by so much. Prints the figures. */
export async function underAttack<T>(
  t: TestContext,
  server: Framehold,
  limits: AttackLimits,
  attack: () => Promise<T>,
): Promise<T> {
  const watch = new Watch(server, limits.paths ?? ['/ping']);
  // The good caller is there before the attack.
  await watch.begun();
  const began = performance.now();
  let outcome: T;
  let report: Awaited<ReturnType<Watch['end']>>;
  try {
    outcome = await attack();
  } finally {
    report = await watch.end();
  }
  const [before = 0] = report.megabytes;
  const growth = Math.max(...report.megabytes) - before;
  const ms = (value: number): string => value.toFixed(0);
  t.diagnostic(
    `${ms(performance.now() - began)} ms; good caller ${report.asked} answers, median ${ms(report.medianMs)} ms, most ${ms(report.maxMs)} ms; memory ${before} MB, +${growth} MB`,
  );
  assert.deepEqual(report.failed, [], 'the good caller is served');
  assertTook(report.maxMs, goodCallerMaxMs, 'the slowest answer for the good caller');
  assert.ok(growth <= limits.growthMegabytes, `memory grew by ${growth} MB`);
  assert.equal(server.exit, null);
  return outcome;
}

/** A connection that somebody holds: what came over it, and when it ended. */
export class Held {
  readonly socket: Socket;
  readonly began = performance.now();
  text = '';
  endedAfterMs: number | null = null;
  readonly ended: Promise<void>;

  constructor(port: number, options: { readonly reads?: boolean } = {}) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.socket.on('error', () => {});
    if (options.reads !== false) {
      this.socket.on('data', (chunk) => {
        if (this.text.length < 10_000) this.text += chunk.toString('latin1');
      });
    }
    this.ended = new Promise((resolve) => {
      this.socket.on('close', () => {
        this.endedAfterMs = performance.now() - this.began;
        resolve();
      });
    });
  }

  /** Sends a piece now and then, until the connection has ended. */
  drip(piece: string | Buffer, everyMs: number): this {
    const timer = setInterval(() => this.socket.write(piece), everyMs);
    this.ended.then(() => clearInterval(timer));
    return this;
  }

  async endedWithin(timeMs: number): Promise<number> {
    await allEndedWithin([this], timeMs);
    return this.endedAfterMs ?? 0;
  }
}

/**
 * Judges the slowest once all have ended: a limit that was missed is held against the machine's pace, and measuring that stops this
 * process, which would be counted against every connection that is still open.
 */
export async function allEndedWithin(held: readonly Held[], timeMs: number): Promise<void> {
  const now = performance.now();
  const areOver = () => held.every((each) => each.endedAfterMs !== null);
  await eventually('the end of the connections', areOver).finally(() => {
    for (const each of held) each.socket.destroy();
  });
  const tookMs = held.map((each) => each.began + (each.endedAfterMs ?? Infinity) - now);
  assertTook(Math.max(...tookMs), timeMs, 'the end of a connection');
}

export function holdMany(count: number, port: number, options?: { readonly reads?: boolean }): Held[] {
  return Array.from({ length: count }, () => new Held(port, options));
}

export function portOf(url: string): number {
  return Number(new URL(url.replace(/^grpc/, 'http')).port);
}
