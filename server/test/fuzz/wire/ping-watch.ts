import { join } from 'node:path';
import { residentMegabytes } from '../../../../bench/load/process-state.ts';
import { Child } from '../../support/child-process.ts';
import type { Framehold } from '../../support/framehold-process.ts';
import { machinePace } from '../../support/machine-pace.ts';
import { timePasses } from '../../support/passing-time.ts';
import { repositoryRoot } from '../../support/repository.ts';

/** `/ping` may take this long at the 99th percentile, or three times what a bare server takes at the same moments. */
const allowedMs = 50;
const allowedTimes = 3;
const everyMs = 20;
/** What a server may have more after a run, with its garbage collected, than before: what it has compiled and cached. */
const leftMegabytesMax = 150;
/** The collector gives pages back a moment later. */
const collectedMs = 1_000;

export interface PingReport {
  readonly asked: number;
  readonly p99Ms: number;
  readonly bareP99Ms: number;
  readonly lost: number;
  /** Resident memory before and after, each after a collection of garbage. */
  readonly beforeMegabytes: number;
  readonly afterMegabytes: number;
  /** What is wrong with it. */
  readonly faults: readonly string[];
}

/**
 * Asks for `/ping` every 20 ms, and at the same moments a server that does nothing else, from a process of its own: what the machine does to both is not the server's.
 * Needs a server that was started with `collectingGarbage`.
 */
export class PingWatch {
  readonly #server: Framehold;
  readonly #bare: Child;
  readonly #probe: Child;
  readonly #beforeMegabytes: number;
  #samples: (readonly [number, number | null, number | null])[] = [];
  #seen = 0;
  readonly #timer: NodeJS.Timeout;

  private constructor(server: Framehold, bare: Child, probe: Child, beforeMegabytes: number) {
    this.#server = server;
    this.#bare = bare;
    this.#probe = probe;
    this.#beforeMegabytes = beforeMegabytes;
    this.#timer = setInterval(() => this.#read(), 1_000);
  }

  static async start(server: Framehold): Promise<PingWatch> {
    const bare = script('bare-server.ts');
    const [port] = await bare.line(/^\d+$/);
    const before = await collected(server);
    const probe = script('ping-probe.ts', server.url, `http://127.0.0.1:${port}`, String(everyMs));
    await probe.line(/^\[/);
    return new PingWatch(server, bare, probe, before);
  }

  async end(): Promise<PingReport> {
    clearInterval(this.#timer);
    this.#read();
    await this.#probe.stop();
    await this.#bare.stop();
    const p99Ms = quantile(this.#samples.map(([, ours]) => ours));
    const bareP99Ms = quantile(this.#samples.map(([, , bare]) => bare));
    const afterMegabytes = this.#server.exit === null ? await collected(this.#server) : Number.NaN;
    const lost = this.#samples.filter(([, ours]) => ours === null).length;
    const faults: string[] = [];
    if (!(p99Ms <= Math.max(allowedMs * machinePace(), allowedTimes * bareP99Ms)))
      faults.push(
        `/ping took ${p99Ms.toFixed(1)} ms at the 99th percentile, a bare server ${bareP99Ms.toFixed(1)} ms`,
      );
    if (lost > 0) faults.push(`${lost} times /ping was not answered`);
    if (!(afterMegabytes - this.#beforeMegabytes <= leftMegabytesMax))
      faults.push(`memory was ${this.#beforeMegabytes} MB before, and is ${afterMegabytes} MB afterwards`);
    const { length: asked } = this.#samples;
    return { asked, p99Ms, bareP99Ms, lost, beforeMegabytes: this.#beforeMegabytes, afterMegabytes, faults };
  }

  #read(): void {
    const { lines } = this.#probe;
    // A child forgets its oldest lines at some point.
    if (lines.length < this.#seen) this.#seen = 0;
    for (; this.#seen < lines.length; this.#seen++) {
      const line = lines[this.#seen] ?? '';
      if (line.startsWith('[')) this.#samples.push(JSON.parse(line));
    }
  }
}

/** A module for the server: with it a signal collects its garbage. */
export const collectingGarbage: string = join(
  import.meta.dirname,
  '..',
  '..',
  'support',
  'collect-garbage.ts',
);

async function collected(server: Framehold): Promise<number> {
  server.signal('SIGUSR2');
  await timePasses(collectedMs, 'until the collector has given pages back');
  return Math.round(residentMegabytes(server.pid));
}

function quantile(values: readonly (number | null)[]): number {
  const sorted = values.filter((each) => each !== null).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN;
}

function script(name: string, ...args: readonly string[]): Child {
  return new Child({
    command: process.execPath,
    args: [join(repositoryRoot, 'bench', 'load', name), ...args],
  });
}

export function pingLine({ asked, p99Ms, bareP99Ms, beforeMegabytes, afterMegabytes }: PingReport): string {
  return `/ping every ${everyMs} ms: ${asked} times, p99 ${p99Ms.toFixed(1)} ms, a bare server at the same moments ${bareP99Ms.toFixed(1)} ms; collected memory ${beforeMegabytes} MB before, ${afterMegabytes} MB after`;
}
