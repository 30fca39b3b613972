import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { BodyMemory, StreamCheck } from '../arrow/check/stream-check.ts';
import { schemaRecord } from '../arrow/schema/schema-record.ts';
import { bodyFault } from '../parquet/body-fault.ts';
import type { CheckReport } from '../ports/codec.ts';
import type { TaskContext } from '../workers/serve-tasks.ts';
import { timeExceeded, workMsMax } from './upload-limits.ts';

/** How far the file has been written, as the main thread reports. */
export interface CheckProgress {
  readonly bytesWritten: number;
  readonly whole: boolean;
}

export interface CheckLimits {
  /** The largest batch, as it is stored. */
  readonly batchBytesMax: number;
  /** Of work, for an upload of no bytes; each MiB adds to it. */
  readonly timeMs: number;
}

export interface CheckTask {
  readonly path: string;
  /** Emits the schema's record when it has come, long before the report. */
  readonly tellsSchema: boolean;
  readonly limits: CheckLimits;
}

/** Checked before another job of the same thread gets its turn: some milliseconds of work. */
const turnBytes = 8 * 1024 * 1024;
/** And if few bytes are much work, because they are compressed: it gives way behind the batch in which this time is over. */
const turnMs = 10;

/** For all checks of the thread, which come one after another. */
const bodyMemory = new BodyMemory();

/** Follows a file while it is written; ends with a report when it is whole, or with bad_body at the first fault. */
export async function checkStream(task: CheckTask, context: TaskContext): Promise<CheckReport> {
  const file = openSync(task.path, 'r');
  try {
    const hash = createHash('sha256');
    const check = new StreamCheck(
      { readSync: (target, position) => readSync(file, target, 0, target.length, position) },
      {
        bodyBytesMax: task.limits.batchBytesMax,
        bodyMemory,
        observe: (bytes) => hash.update(bytes),
      },
    );
    const available = new Progress(context);
    let workedMs = 0;
    let told = !task.tellsSchema;
    for (let position = 0; ; ) {
      // If a turn ended early, the bytes are still there.
      const { bytesWritten, whole } = await available.beyond(position);
      const next = Math.min(bytesWritten, position + turnBytes);
      const startedAt = performance.now();
      const isDone = check.advance(next, () => performance.now() - startedAt > turnMs);
      workedMs += performance.now() - startedAt;
      const allowedMs = workMsMax(task.limits.timeMs, bytesWritten);
      if (workedMs > allowedMs) throw timeExceeded('check', allowedMs);
      if (!told && check.schema !== null) {
        told = true;
        await context.emit(schemaRecord(check.schema.header, check.schema.schema));
      }
      if (isDone) position = next;
      if (isDone && whole && position === bytesWritten) {
        const report = check.finish(bytesWritten);
        return {
          schema: schemaRecord(report.schemaHeader, report.schema),
          rows: report.rows,
          batches: report.batches,
          bytes: bytesWritten,
          sha256: hash.digest('hex'),
        };
      }
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
