import type { DiskRoom } from '../disk-room.ts';
import { asFrameholdError } from '../errors.ts';
import type { Leases } from '../leases.ts';
import type { ObjectGuard } from '../object-guard.ts';
import type { Observe } from '../observation.ts';
import { parquetKey } from '../part-keys.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Codec } from '../ports/codec.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { announce } from '../steps.ts';
import type { PartRecord, StoredObject } from '../version.ts';
import { FailedTries } from './failed-tries.ts';

export interface SettlingParts {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly codec: Codec;
  readonly leases: Leases;
  readonly guard: ObjectGuard;
  readonly room: DiskRoom;
  readonly observe: Observe;
  readonly now: () => number;
}

/** A small append is probably merged before: a Parquet file of its own would be thrown away soon, and takes a thread to write. */
const smallPartWaitMs = 60_000;

/** Adds the Parquet form to parts that have none. May run twice over the same part: the second adds nothing. */
export class Settling {
  readonly #parts: SettlingParts;
  readonly #tries = new FailedTries();
  #paused = false;

  constructor(parts: SettlingParts) {
    this.#parts = parts;
  }

  /** Settles until nothing is left, the disk has no room for more, or the signal aborts. `afterEach` comes between two parts. */
  async run(signal: AbortSignal, afterEach: () => Promise<void>): Promise<'done' | 'no-room'> {
    for (;;) {
      const { catalog, leases, now } = this.#parts;
      // One at a time, and leased in the turn in which it is answered: a further one may be dropped and collected by its turn.
      const [part] = await catalog.unsettled(1, now() - smallPartWaitMs);
      if (part === undefined || signal.aborted) return 'done';
      const arrow = part.forms.find((form) => form.kind === 'arrow')?.objects[0];
      if (arrow === undefined) throw new Error(`part ${part.id} has no Arrow form to settle`);
      const release = leases.take([arrow.key]);
      try {
        if (!(await this.#settleOrRemember(part, arrow, signal))) return 'no-room';
      } finally {
        release();
      }
      await afterEach();
    }
  }

  /** False where the disk has no room: that is no fault of the part, and passes. */
  async #settleOrRemember(part: PartRecord, arrow: StoredObject, signal: AbortSignal): Promise<boolean> {
    const { catalog, observe, guard } = this.#parts;
    try {
      if (!(await this.#hasRoom(part.id, arrow))) return false;
      await this.#settle(part, arrow, signal);
      this.#tries.wentWell(part.id);
      this.#paused = false;
      return true;
    } catch (error) {
      if (signal.aborted) return true;
      const { kind, message } = asFrameholdError(error);
      if (kind === 'disk_full') {
        this.#pause(part.id, message);
        return false;
      }
      // Marked, it is not offered again.
      if (kind === 'frame_damaged' && (await guard.examine([arrow]))) return true;
      observe({ event: 'settle-failed', partId: part.id, error });
      const tries = this.#tries.failed(part.id);
      if (tries === null) return true;
      await catalog.refuseSettling(
        part.id,
        `failed ${tries} times: ${error instanceof Error ? error.message : String(error)}`,
      );
      return true;
    }
  }

  /** Parquet is rarely larger than the Arrow form: what fits so does not come to the reserve. */
  async #hasRoom(partId: string, arrow: StoredObject): Promise<boolean> {
    if (await this.#parts.room.fits(parquetKey(arrow.key, 0), arrow.bytes)) return true;
    const reason = `the disk has no room for ${arrow.bytes} bytes above the reserve`;
    this.#pause(partId, reason);
    return false;
  }

  /** Told once: the next tries come every few seconds. */
  #pause(partId: string, reason: string): void {
    if (!this.#paused) this.#parts.observe({ event: 'settle-paused', partId, reason });
    this.#paused = true;
  }

  async #settle(part: PartRecord, arrow: StoredObject, signal: AbortSignal): Promise<void> {
    const { catalog, store, codec, observe, now } = this.#parts;
    const startedAt = now();
    announce('settle:begun');
    const report = await codec.settle(
      {
        source: await store.localPath(arrow.key),
        sha256: arrow.sha256,
        targetDirectory: store.scratchDirectory(parquetKey(arrow.key, 0)),
        targetPrefix: part.id,
      },
      signal,
    );
    announce('settle:written');
    if (report.refusal !== null) {
      await catalog.refuseSettling(part.id, report.refusal);
      announce('settle:refused');
      observe({ event: 'settle-refused', partId: part.id, reason: report.refusal });
      return;
    }
    const objects: StoredObject[] = [];
    for (const [index, file] of report.files.entries()) {
      const key = parquetKey(arrow.key, index);
      await store.adopt(file.path, key);
      announce('settle:adopted');
      objects.push({ key, bytes: file.bytes, sha256: file.sha256 });
    }
    await catalog.addForm(part.id, { kind: 'parquet', objects, exact: report.exact });
    announce('settle:recorded');
    const bytes = objects.reduce((sum, object) => sum + object.bytes, 0);
    observe({
      event: 'settled',
      partId: part.id,
      files: objects.length,
      bytes,
      exact: report.exact,
      durationMs: now() - startedAt,
    });
  }
}
