import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestCounts } from './test-counts.ts';

/** How a part ended that was not interrupted. */
export interface PartResult {
  readonly part: string;
  /** What was checked out; null if the working tree had changes of its own. */
  readonly commit: string | null;
  readonly isPassed: boolean;
  readonly seconds: number;
  readonly endedAt: string;
  /** Null if it is not a run of tests. */
  readonly tests: TestCounts | null;
}

/** A folder with the last result of each part, and with its log. */
export class KeptResults {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  logOf(part: string): string {
    return join(this.#folder, `${part}.log`);
  }

  keep(result: PartResult): void {
    const path = this.#pathOf(result.part);
    writeFileSync(`${path}.new`, `${JSON.stringify(result)}\n`);
    renameSync(`${path}.new`, path);
  }

  /** Null if there is none that says something about this commit. */
  find(part: string, commit: string | null, ofAnyCommit: boolean): PartResult | null {
    let result: PartResult;
    try {
      result = JSON.parse(readFileSync(this.#pathOf(part), 'utf8')) as PartResult;
    } catch {
      return null;
    }
    return ofAnyCommit || (commit !== null && result.commit === commit) ? result : null;
  }

  #pathOf(part: string): string {
    return join(this.#folder, `${part}.json`);
  }
}
