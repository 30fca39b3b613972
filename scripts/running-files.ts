import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOwnClock } from './stolen-time.ts';

/** A file that is told to end stops what it has started first. */
const graceMsMax = 10_000;

interface RunningTest {
  readonly title: string;
  readonly parentId: number | undefined;
}

interface RunningFile {
  readonly clock: () => number;
  /** By the ids that node gives to the tests of a file. */
  readonly tests: Map<number, RunningTest>;
  /** What was done so far to end it, and when the last of it. */
  measures: number;
  lastMeasureAt: number;
}

/**
 * The files that run just now, each with its clock and with the tests that have begun. It ends a file that takes too long: one that hangs,
 * or left something open, would hold the whole run up.
 */
export class RunningFiles {
  /** The files that were ended, a line each. */
  readonly ended: string[] = [];
  readonly #files = new Map<string, RunningFile>();
  readonly #limitMs: number;
  readonly #endBy: number;
  readonly #measures: readonly ((file: string) => void)[];

  /** `folder` has a file for each process, named by its id, with the path of its test file; `giveUp` ends the whole run. */
  constructor(
    limits: { readonly fileMs: number; readonly endBy: number },
    folder: string,
    giveUp: () => void,
  ) {
    this.#limitMs = limits.fileMs;
    this.#endBy = limits.endBy;
    this.#measures = [
      // It says what is open, and exits.
      (file) => signal(folder, file, 'SIGTERM'),
      // A thread that never rests hears nothing.
      (file) => signal(folder, file, 'SIGKILL'),
      // The process is gone, but one that it started holds its output open.
      giveUp,
    ];
  }

  begin(file: string): void {
    this.#files.set(file, { clock: startOwnClock(), tests: new Map(), measures: 0, lastMeasureAt: 0 });
  }

  end(file: string): void {
    this.#files.delete(file);
  }

  beginTest(file: string, testId: number, test: RunningTest): void {
    this.#files.get(file)?.tests.set(testId, test);
  }

  endTest(file: string, testId: number): void {
    this.#files.get(file)?.tests.delete(testId);
  }

  /** Ends the files that have had their time. To be called every few seconds. */
  check(): void {
    const graceMs = Math.min(graceMsMax, this.#limitMs);
    for (const [file, running] of this.#files) {
      const now = Date.now();
      const tookMs = running.clock();
      if (tookMs < this.#limitMs && now < this.#endBy) continue;
      if (running.measures > 0 && now - running.lastMeasureAt < graceMs) continue;
      if (running.measures === 0) {
        const reason =
          tookMs < this.#limitMs ? ', because the time of the whole run (TEST_END_BY) is over' : '';
        this.ended.push(
          `${file} was ended after ${(tookMs / 1_000).toFixed()} s of its own${reason}; still running: ${titlesOf(running.tests)}`,
        );
      }
      this.#measures[running.measures++]?.(file);
      running.lastMeasureAt = now;
    }
  }
}

/** A test that has subtests runs as long as they do: only the innermost are named. */
function titlesOf(tests: ReadonlyMap<number, RunningTest>): string {
  const parents = new Set([...tests.values()].map(({ parentId }) => parentId));
  const titles = [...tests].filter(([id]) => !parents.has(id)).map(([, { title }]) => title);
  return titles.join(', ') || 'no test that had said so';
}

function signal(folder: string, file: string, name: NodeJS.Signals): void {
  const pid = readdirSync(folder).find((each) => readFileSync(join(folder, each), 'utf8') === file);
  try {
    if (pid !== undefined) process.kill(Number(pid), name);
  } catch {
    // It has just ended by itself.
  }
}
