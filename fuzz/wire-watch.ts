import { Agent, get } from 'node:http';
import { residentMegabytes } from '../bench/load/process-state.ts';
import type { Framehold } from '../server/test/parts/framehold-process.ts';

/** No good caller may wait longer than this, whatever the others send. */
export const hangMs = 5_000;
const everyMs = 100;
const memoryEveryMs = 1_000;

export interface WatchReport {
  readonly asked: number;
  readonly failed: readonly string[];
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Resident memory, once a second. */
  readonly megabytes: readonly number[];
}

/** A good caller beside the bad ones: asks for `/ping` and for rows all the time, and looks at the server's memory. */
export class Watch {
  readonly #server: Framehold;
  readonly #paths: readonly string[];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 4 });
  readonly #waits: number[] = [];
  readonly #failed: string[] = [];
  readonly #megabytes: number[] = [];
  readonly #timers: NodeJS.Timeout[] = [];
  readonly #open = new Set<Promise<void>>();

  constructor(server: Framehold, paths: readonly string[]) {
    this.#server = server;
    this.#paths = paths;
    this.#timers.push(setInterval(() => this.#askAll(), everyMs));
    this.#timers.push(setInterval(() => this.#look(), memoryEveryMs));
    this.#look();
  }

  async end(): Promise<WatchReport> {
    for (const timer of this.#timers) clearInterval(timer);
    await Promise.all(this.#open);
    this.#look();
    this.#agent.destroy();
    const sorted = this.#waits.toSorted((one, other) => one - other);
    return {
      asked: sorted.length,
      failed: this.#failed,
      medianMs: at(sorted, 0.5),
      p99Ms: at(sorted, 0.99),
      maxMs: sorted.at(-1) ?? 0,
      megabytes: this.#megabytes,
    };
  }

  #askAll(): void {
    for (const path of this.#paths) {
      const asked = this.#ask(path).finally(() => this.#open.delete(asked));
      this.#open.add(asked);
    }
  }

  async #ask(path: string): Promise<void> {
    const began = performance.now();
    const outcome = await new Promise<string>((resolve) => {
      const request = get(this.#server.url + path, { agent: this.#agent, timeout: hangMs }, (response) => {
        response.resume().once('end', () => resolve(String(response.statusCode)));
        response.once('error', (error) => resolve(error.message));
      });
      request.once('timeout', () => request.destroy(new Error(`no answer within ${hangMs} ms`)));
      request.once('error', (error) => resolve(error.message));
    });
    if (outcome === '200') this.#waits.push(performance.now() - began);
    else this.#failed.push(`${path}: ${outcome}`);
  }

  #look(): void {
    try {
      this.#megabytes.push(Math.round(residentMegabytes(this.#server.pid)));
    } catch {
      this.#failed.push('the server is gone');
    }
  }
}

/** Lines of the log that nobody should see, whatever callers send: faults, and what was not written by the log at all. */
export function unexpectedLines(server: Framehold, greeting: ReadonlySet<string>): string[] {
  return server.lines.filter((line) => {
    if (!line.startsWith('{')) return !greeting.has(line);
    const { level } = JSON.parse(line) as { readonly level?: string };
    return level === 'error' || level === 'fatal';
  });
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
