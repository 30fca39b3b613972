import type { run } from 'node:test';

type TestEvents = ReturnType<typeof run>;

export interface FailedTest {
  /** The file that was run, which is not always the one that has the text of the test. */
  readonly file: string;
  readonly title: string;
}

/** What node reports of a run, as far as it decides whether every test has passed. */
export class TestRecord {
  readonly failed: FailedTest[] = [];
  /** How long each file took that has ended. */
  readonly seconds = new Map<string, number>();
  /** How many tests each file has reported at its end. One that was killed, or that exits by itself, reports nothing. */
  readonly #tests = new Map<string, number>();
  #executed = 0;
  #isSuccess = false;

  constructor(events: TestEvents) {
    events.on('test:fail', (event) => {
      const { failureType } = event.details.error as { readonly failureType?: string };
      // A suite fails with its tests.
      if (failureType === 'subtestsFailed') return;
      if (!isFile(event)) this.failed.push({ file: fileOf(event), title: event.name });
      // One that reported no test is a fault anyway.
      else if (this.#tests.has(event.name)) this.failed.push({ file: event.name, title: 'its process' });
    });
    events.on('test:complete', (event) => {
      if (isFile(event)) this.seconds.set(event.name, event.details.duration_ms / 1_000);
    });
    events.on('test:summary', ({ file, counts, success }) => {
      if (file !== undefined) this.#tests.set(file, counts.tests);
      if (file !== undefined) this.#executed += counts.tests - counts.skipped;
      else this.#isSuccess = success;
    });
  }

  /** Whatever else means that not all of these files were run, and have passed: a line each. */
  faults(files: readonly string[]): string[] {
    const faults = files
      .filter((file) => (this.#tests.get(file) ?? 0) === 0)
      .map((file) => `${file} has ended without reporting a test`);
    if (this.#tests.size > files.length)
      faults.push(`${this.#tests.size} files were run, and ${files.length} were asked for`);
    if (this.#executed === 0) faults.push('no test was run');
    if (!this.#isSuccess && this.failed.length + faults.length === 0)
      faults.push('node reports a failure, and no test has failed');
    return faults;
  }
}

/** Node reports a file as a test of which the others are part. */
export function isFile(event: { readonly name: string; readonly file?: string | undefined }): boolean {
  return event.name === event.file;
}

export function fileOf(event: { readonly file?: string | undefined; readonly entryFile?: string }): string {
  return event.entryFile ?? event.file ?? '';
}
