import { readdirSync, statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FrameholdError } from '../model/errors.ts';

/** A statement that may write temporary files. */
export interface Spilling {
  readonly tempDirectory: string;
  /** What it may write in all. */
  readonly tempBytesMax: number;
  /** Ends it, and its writing, at once. */
  stop(error: FrameholdError): void;
}

/** Temporary files stay this far away from the reserve: a look may come late on a busy machine. */
const marginBytes = 16 * 1024 ** 2;

/**
 * Keeps the reserve of the disk from temporary files of statements. Each statement may write what is free above the reserve when it
 * begins, which the engine itself holds to. Several together could still write more, and so could others: the disk is looked at while
 * statements run, and when they come near the reserve the one that has written most is stopped.
 */
export class SpillBudget {
  readonly #directory: string;
  readonly #reserveBytes: () => number;
  #freeBytes = Number.NaN;

  /** `directory` holds the temporary files of all statements. */
  constructor(directory: string, reserveBytes: () => number) {
    this.#directory = directory;
    this.#reserveBytes = reserveBytes;
  }

  /** What a statement that begins now may write. */
  bytes(): number {
    return Math.max(0, this.#look() - this.#kept());
  }

  /** To be called at short, even intervals while statements run: what was written since the last call may be written before the next. */
  watch(statements: Iterable<Spilling>): void {
    const before = this.#freeBytes;
    const freeBytes = this.#look();
    // Twice, because writing may have begun only in the middle of the interval.
    const soonWritten = Number.isFinite(before) ? Math.max(0, 2 * (before - freeBytes)) : 0;
    if (freeBytes - soonWritten >= this.#kept()) return;
    const spilled = [...statements].map((statement) => ({
      statement,
      bytes: bytesIn(statement.tempDirectory),
    }));
    const mayWrite = spilled.reduce(
      (sum, { statement, bytes }) => sum + Math.max(0, statement.tempBytesMax - bytes),
      0,
    );
    if (freeBytes - Math.min(soonWritten, mayWrite) >= this.#kept()) return;
    const [largest] = spilled.filter(({ bytes }) => bytes > 0).sort((one, other) => other.bytes - one.bytes);
    if (largest === undefined) return;
    largest.statement.stop(this.full());
    // Its files are about to go: what was written before says nothing about the next interval.
    this.#freeBytes = Number.NaN;
  }

  full(): FrameholdError {
    return new FrameholdError(
      'disk_full',
      `The statement's temporary files need more room than the disk has above the ${this.#reserveBytes()} bytes that are kept back.`,
      {
        hint: 'Read fewer columns or rows, raise sql.memory_bytes_max, or make room on the disk. The reserve is storage.reserve_bytes.',
      },
    );
  }

  #kept(): number {
    return this.#reserveBytes() + marginBytes;
  }

  /** Synchronous: the kernel answers from memory in some 10 µs, and behind busy disks a thread may not be free in time. */
  #look(): number {
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      this.#freeBytes = bavail * bsize;
    } catch {
      // Somebody took the directory away: then nothing can be written to it either.
      this.#freeBytes = Number.POSITIVE_INFINITY;
    }
    return this.#freeBytes;
  }
}

/** Of the files in a directory: a handful, which the engine makes and removes meanwhile. */
function bytesIn(directory: string): number {
  let bytes = 0;
  for (const name of namesIn(directory)) {
    try {
      const stats = statSync(join(directory, name));
      if (stats.isFile()) bytes += stats.blocks * 512;
    } catch {
      // It has just been removed.
    }
  }
  return bytes;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}
