import { appendFileSync, chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Lines that a person may want again; older ones are dropped when the shell starts. */
export const historyMax = 1_000;

/** The lines of earlier sessions. A statement may contain data, so only the user can read the file. */
export class HistoryFile {
  readonly #path: string;
  #isUsable = true;

  constructor(path: string) {
    this.#path = path;
  }

  /** Newest first, as readline wants them. */
  read(): string[] {
    try {
      const lines = readFileSync(this.#path, 'utf8')
        .split('\n')
        .filter((line) => line !== '');
      chmodSync(this.#path, 0o600);
      const kept = lines.slice(-historyMax);
      if (lines.length > 2 * historyMax) writeFileSync(this.#path, `${kept.join('\n')}\n`, { mode: 0o600 });
      return kept.reverse();
    } catch {
      return [];
    }
  }

  /** A history that cannot be written is not worth an error. */
  add(line: string): void {
    if (!this.#isUsable || line.trim() === '') return;
    try {
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      appendFileSync(this.#path, `${line}\n`, { mode: 0o600 });
    } catch {
      this.#isUsable = false;
    }
  }
}
