import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { StreamCheck } from '../arrow/check.ts';
import type { CheckReport } from '../frames/ports/codec.ts';
import type { TaskContext } from '../workers/serve-tasks.ts';
import { bodyFault } from './body-fault.ts';
import { schemaRecord } from './schema-record.ts';

/** How far the file has been written, as the main thread tells. */
export interface CheckProgress {
  readonly bytesWritten: number;
  readonly whole: boolean;
}

export interface CheckLimits {
  /** The largest batch, as it is stored. */
  readonly batchBytesMax: number;
}

export interface CheckTask {
  readonly path: string;
  readonly limits: CheckLimits;
}

/** Checked before another job of the same thread gets its turn: some milliseconds of work. */
const turnBytes = 8 * 1024 * 1024;

/** Follows a file while it is written; ends with a report when it is whole, or with bad_body at the first fault. */
export async function checkStream(task: CheckTask, context: TaskContext): Promise<CheckReport> {
  const file = openSync(task.path, 'r');
  try {
    const hash = createHash('sha256');
    const check = new StreamCheck(
      { readSync: (target, position) => readSync(file, target, 0, target.length, position) },
      { bodyBytesMax: task.limits.batchBytesMax, observe: (bytes) => hash.update(bytes) },
    );
    const available = new Progress(context);
    for (let position = 0; ; ) {
      const { bytesWritten, whole } = await available.beyond(position);
      position = Math.min(bytesWritten, position + turnBytes);
      if (whole && position === bytesWritten) {
        const report = check.finish(bytesWritten);
        return {
          schema: schemaRecord(report.schemaHeader, report.schema),
          rows: report.rows,
          batches: report.batches,
          bytes: bytesWritten,
          sha256: hash.digest('hex'),
        };
      }
      check.advance(position);
      await setImmediate();
    }
  } catch (thrown) {
    throw bodyFault(thrown, 'a valid Arrow IPC stream');
  } finally {
    closeSync(file);
  }
}

/** The latest of the messages about the file, however many came since. */
class Progress {
  #latest: CheckProgress = { bytesWritten: 0, whole: false };
  #failure: unknown = null;
  #wake: (() => void) | null = null;

  constructor(context: TaskContext) {
    void this.#follow(context);
  }

  /** Waits until there is more than this many bytes, or the file is whole. */
  async beyond(position: number): Promise<CheckProgress> {
    for (;;) {
      if (this.#failure !== null) throw this.#failure;
      if (this.#latest.whole || this.#latest.bytesWritten > position) return this.#latest;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  async #follow(context: TaskContext): Promise<void> {
    try {
      while (!this.#latest.whole) {
        this.#latest = (await context.receive()) as CheckProgress;
        this.#wake?.();
      }
    } catch (thrown) {
      this.#failure = thrown;
      this.#wake?.();
    }
  }
}
