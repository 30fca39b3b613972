import { join } from 'node:path';
import { Child } from '../../server/test/support/child-process.ts';
import {
  builtCommand,
  Framehold,
  type FrameholdOptions,
} from '../../server/test/support/framehold-process.ts';
import { cpuSeconds, residentMegabytes } from './process-state.ts';

export interface PingFigures {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
  readonly bareP99: number;
  readonly bareWorst: number;
  /** Without an answer. */
  readonly lost: number;
  readonly allowed: number;
  readonly met: boolean;
}

export interface PhaseFigures {
  readonly phase: string;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMegabytes: number;
  readonly ping: PingFigures;
}

/** `/ping` may take this long at the 99th percentile, or three times what a bare server takes at the same time. */
const pingAllowedMs = 50;
const pingAllowedRatio = 3;
const pingEveryMs = 20;
const sampleEveryMs = 100;

type Sample = readonly [at: number, ours: number | null, bare: number | null];

/** A Framehold with a bare server beside it, both pinged all the time, and its memory looked at. */
export class WatchedServer {
  readonly framehold: Framehold;
  readonly #bare: Child;
  readonly #probe: Child;
  readonly #sampler: NodeJS.Timeout;
  #samples: Sample[] = [];
  #memory: { readonly at: number; readonly megabytes: number }[] = [];
  #linesRead = 0;

  private constructor(framehold: Framehold, bare: Child, probe: Child) {
    this.framehold = framehold;
    this.#bare = bare;
    this.#probe = probe;
    this.#sampler = setInterval(() => this.#sample(), sampleEveryMs);
  }

  /** The built server unless the options say otherwise: from source each thread would carry a TypeScript compiler. */
  static async start(options: FrameholdOptions): Promise<WatchedServer> {
    const framehold = await Framehold.start({ command: builtCommand, ...options });
    const bare = script('bare-server.ts');
    const [port] = await bare.line(/^\d+$/);
    const probe = script('ping-probe.ts', framehold.url, `http://127.0.0.1:${port}`, String(pingEveryMs));
    await probe.line(/^\[/);
    return new WatchedServer(framehold, bare, probe);
  }

  get megabytes(): number {
    return residentMegabytes(this.framehold.pid);
  }

  /** The highest of all samples so far. */
  get peakMegabytes(): number {
    return Math.max(...this.#memory.map((each) => each.megabytes));
  }

  /** Runs a phase and reports what it did to the server. */
  async phase<Result>(
    phase: string,
    run: () => Promise<Result>,
  ): Promise<{ figures: PhaseFigures; result: Result }> {
    const began = Date.now();
    const cpuBefore = cpuSeconds(this.framehold.pid);
    const result = await run();
    const ended = Date.now();
    this.#sample();
    const within = (at: number) => at >= began && at <= ended;
    const figures = {
      phase,
      seconds: (ended - began) / 1_000,
      cpuSeconds: cpuSeconds(this.framehold.pid) - cpuBefore,
      peakMegabytes: Math.max(
        ...this.#memory.filter(({ at }) => within(at)).map(({ megabytes }) => megabytes),
      ),
      ping: pingFigures(this.#samples.filter(([at]) => within(at))),
    };
    return { figures, result };
  }

  /** The value of a metric without labels, or with exactly these, as they are written. */
  async metric(name: string): Promise<number> {
    const answer = await fetch(`${this.framehold.url}/metrics`);
    const line = (await answer.text()).split('\n').find((each) => each.startsWith(`${name} `));
    return line === undefined ? 0 : Number(line.slice(name.length + 1));
  }

  async stop(): Promise<void> {
    clearInterval(this.#sampler);
    await this.#probe.stop();
    await this.#bare.stop();
    await this.framehold.remove();
  }

  #sample(): void {
    const { lines } = this.#probe;
    // The child forgets its oldest half at some point; what was read stays counted by what is left.
    if (lines.length < this.#linesRead) this.#linesRead = 0;
    for (; this.#linesRead < lines.length; this.#linesRead++)
      this.#samples.push(JSON.parse(lines[this.#linesRead] ?? 'null') as Sample);
    if (this.framehold.exit === null) this.#memory.push({ at: Date.now(), megabytes: this.megabytes });
  }
}

function script(name: string, ...args: readonly string[]): Child {
  return new Child({ command: process.execPath, args: [join(import.meta.dirname, name), ...args] });
}

function pingFigures(samples: readonly Sample[]): PingFigures {
  const ours = sorted(samples.map(([, each]) => each));
  const bare = sorted(samples.map(([, , each]) => each));
  const allowed = Math.max(pingAllowedMs, pingAllowedRatio * quantile(bare, 0.99));
  const lost = samples.length - ours.length;
  const p99 = quantile(ours, 0.99);
  return {
    count: samples.length,
    p50: quantile(ours, 0.5),
    p99,
    worst: ours.at(-1) ?? Number.NaN,
    bareP99: quantile(bare, 0.99),
    bareWorst: bare.at(-1) ?? Number.NaN,
    lost,
    allowed,
    met: samples.length > 0 && lost === 0 && p99 <= allowed,
  };
}

function sorted(values: readonly (number | null)[]): number[] {
  return values.filter((value) => value !== null).sort((a, b) => a - b);
}

export function quantile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

export function phaseLine(
  { phase, seconds, cpuSeconds, peakMegabytes, ping }: PhaseFigures,
  bytes = 0,
): string {
  const gigabytes = bytes / 1e9;
  const rates =
    bytes === 0
      ? `${cpuSeconds.toFixed(1)} CPU s`
      : `${(gigabytes / seconds).toFixed(2)} GB/s  ${(cpuSeconds / gigabytes).toFixed(2)} CPU s/GB`;
  return [
    phase.padEnd(24),
    `${seconds.toFixed(1)} s`.padStart(8),
    rates.padEnd(26),
    `peak ${peakMegabytes.toFixed(0)} MB`,
    `ping p50 ${ping.p50.toFixed(1)} p99 ${ping.p99.toFixed(1)} worst ${ping.worst.toFixed(0)} ms`,
    `(bare p99 ${ping.bareP99.toFixed(1)} worst ${ping.bareWorst.toFixed(0)}; allowed ${ping.allowed.toFixed(0)}: ${ping.met ? 'met' : 'MISSED'})`,
  ].join('  ');
}
