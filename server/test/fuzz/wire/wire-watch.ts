import assert from 'node:assert/strict';
import { join } from 'node:path';
import { residentMegabytes } from '../../../../bench/load/process-state.ts';
import { Child } from '../../support/child-process.ts';
import type { Framehold } from '../../support/framehold-process.ts';
import { machinePace } from '../../support/machine-pace.ts';
import { patienceMs } from '../../support/patience.ts';

/** No caller may wait longer than this for an answer or for the end of a connection, on a machine that does nothing else. */
export const hangMs = 5_000 * machinePace();
const memoryEveryMs = 250;

export interface WatchReport {
  readonly asked: number;
  readonly failed: readonly string[];
  readonly medianMs: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Resident memory, from the beginning to the end. */
  readonly megabytes: readonly number[];
}

/** A good caller beside the bad ones, who asks for `/ping` and for rows all the time, and a look at the server's memory. */
export class Watch {
  readonly #server: Framehold;
  readonly #megabytes: number[] = [];
  readonly #timer: NodeJS.Timeout;
  readonly #probe: Child;

  constructor(server: Framehold, paths: readonly string[]) {
    this.#server = server;
    const probe = join(import.meta.dirname, 'wire-probe.ts');
    this.#probe = new Child({ command: process.execPath, args: [probe, server.url, ...paths] });
    this.#timer = setInterval(() => this.#look(), memoryEveryMs);
    this.#look();
  }

  /** Resolves when the good caller has had its first answers. */
  async begun(): Promise<void> {
    await this.#probe.line(/^begun$/);
  }

  async end(): Promise<WatchReport> {
    clearInterval(this.#timer);
    this.#look();
    // It waits for the answers that are still to come.
    await this.#probe.stop('SIGTERM', 2 * patienceMs);
    const said = this.#probe.lines.findLast((line) => line.startsWith('{'));
    assert.ok(said, `the good caller said nothing: ${this.#probe.tail()}`);
    const { waits, failed } = JSON.parse(said) as { waits: number[]; failed: string[] };
    const sorted = waits.toSorted((one, other) => one - other);
    const dead = this.#server.exit === null ? [] : ['the server is gone'];
    return {
      asked: sorted.length,
      failed: [...failed, ...dead],
      medianMs: at(sorted, 0.5),
      p99Ms: at(sorted, 0.99),
      maxMs: sorted.at(-1) ?? 0,
      megabytes: this.#megabytes,
    };
  }

  #look(): void {
    if (this.#server.exit === null) this.#megabytes.push(Math.round(residentMegabytes(this.#server.pid)));
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
