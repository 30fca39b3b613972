import { stat } from 'node:fs/promises';
import { certainly, isOutcomeUnknown } from '../certain-change.ts';
import type { DiskRoom } from '../disk-room.ts';
import { asFrameholdError, FrameholdError } from '../errors.ts';
import { orderedId } from '../handle.ts';
import type { Leases } from '../leases.ts';
import type { MergeBounds } from '../merge-runs.ts';
import { openMergeSources } from '../merge-sources.ts';
import type { Observe } from '../observation.ts';
import { exactObjects } from '../part-forms.ts';
import { arrowKey } from '../part-keys.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';
import type { MergeRun } from '../ports/catalog/maintenance.ts';
import type { NewPart } from '../ports/catalog/versions.ts';
import type { Codec } from '../ports/codec.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { announce } from '../steps.ts';
import { FailedTries } from './failed-tries.ts';

export interface MergingParts {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly codec: Codec;
  readonly leases: Leases;
  readonly room: DiskRoom;
  readonly observe: Observe;
  readonly now: () => number;
}

/**
 * A part of 64 MB reads as fast as a larger one, and is held in memory while it is made. Eight parts at least, because a merge starts a
 * thread; a thousand at most, because all their files are leased. Growing fourfold, a row is written again eight times at
 * most from 1 kB on.
 */
export const mergeBounds: MergeBounds = {
  partBytesMax: 16e6,
  runBytesMax: 64e6,
  runPartsMin: 8,
  runPartsMax: 1_000,
  growthMin: 4,
};
/** Of compressed parts, which are unpacked: what they need is seen only then. */
const targetBytesMax = 2 * mergeBounds.runBytesMax;

/** Makes one part out of many small ones. May run twice: what is merged already is not offered again. */
export class Merging {
  readonly #parts: MergingParts;
  readonly #tries = new FailedTries();

  constructor(parts: MergingParts) {
    this.#parts = parts;
  }

  /** Merges until nothing is left or the signal aborts; answers how many merges it made. */
  async run(signal: AbortSignal): Promise<number> {
    let merges = 0;
    while (!signal.aborted) {
      const run = await this.#parts.catalog.mergeable(mergeBounds);
      if (run === null) break;
      // Taken in the same turn in which the catalog answered: the collector looks at the leases in a later one.
      const release = this.#parts.leases.take(run.parts.flatMap(exactObjects).map(({ key }) => key));
      try {
        if (!(await this.#hasRoom(run))) break;
        if (await this.#mergeOrRemember(run, signal)) merges += 1;
      } finally {
        release();
      }
    }
    return merges;
  }

  /** Sources and result are on the disk at the same time; what does not fit waits for a later look. */
  async #hasRoom(run: MergeRun): Promise<boolean> {
    const bytes = run.parts.flatMap(exactObjects).reduce((sum, object) => sum + object.bytes, 0);
    return this.#parts.room.fits(arrowKey(run.tenant, 'any'), bytes);
  }

  async #mergeOrRemember(run: MergeRun, signal: AbortSignal): Promise<boolean> {
    const { catalog, observe } = this.#parts;
    const first = run.parts[0]?.id ?? '';
    try {
      const merged = await this.#merge(run, signal);
      this.#tries.wentWell(first);
      return merged;
    } catch (error) {
      if (signal.aborted) return false;
      observe({ event: 'merge-failed', partId: first, parts: run.parts.length, error });
      // Tried again at the next look, not at once: a full disk needs time, and is no fault of the parts.
      if (asFrameholdError(error).kind === 'disk_full') throw error;
      const tries = this.#tries.failed(first);
      if (tries === null) throw error;
      const reason = `failed ${tries} times: ${error instanceof Error ? error.message : String(error)}`;
      for (const part of run.parts) await catalog.refuseMerging(part.id, reason);
      return false;
    }
  }

  async #merge(run: MergeRun, signal: AbortSignal): Promise<boolean> {
    const { catalog, store, codec, observe, now } = this.#parts;
    const startedAt = now();
    const id = orderedId();
    const { sources, release } = await openMergeSources(store, run.parts);
    const staged = await store.staging.file(arrowKey(run.tenant, id)).catch((error) => {
      release();
      throw error;
    });
    announce('merge:begun');
    try {
      const request = { sources, schema: run.schema, target: staged.path, targetBytesMax };
      const { refusal } = await codec.merge(request, signal).finally(release);
      announce('merge:written');
      if (refusal !== null) {
        const part = run.parts[refusal.source];
        if (part !== undefined) await catalog.refuseMerging(part.id, refusal.reason);
        observe({ event: 'merge-refused', partId: part?.id ?? '', reason: refusal.reason });
        return false;
      }
      const part = await this.#checked(run, id, staged.key, staged.path);
      signal.throwIfAborted();
      await store.publish(staged);
      announce('merge:published');
      const ids = run.parts.map((each) => each.id);
      const taken = await this.#replace(ids, part);
      announce('merge:recorded');
      const { rows, arrow } = part;
      if (taken)
        observe({
          event: 'merged',
          partId: id,
          parts: ids.length,
          rows,
          bytes: arrow.bytes,
          durationMs: now() - startedAt,
        });
      return taken;
    } finally {
      await staged.discard();
    }
  }

  async #replace(ids: readonly string[], part: NewPart): Promise<boolean> {
    const { catalog, store, now } = this.#parts;
    const { key } = part.arrow;
    try {
      return await certainly(() => catalog.merge(ids, part, now()));
    } catch (error) {
      // The catalog may have taken the part, and then nothing else has its rows.
      if (!isOutcomeUnknown(error)) await store.remove(key);
      throw error;
    }
  }

  /** The merged stream is checked like an upload. */
  async #checked(run: MergeRun, id: string, key: string, path: string): Promise<NewPart> {
    const { size } = await stat(path);
    const check = this.#parts.codec.check(path);
    const report = await check.finish(size);
    const rows = run.parts.reduce((sum, part) => sum + part.rows, 0);
    if (report.rows !== rows || report.schema.hash !== run.schema.hash)
      throw new FrameholdError(
        'internal',
        `Merging ${rows} rows gave ${report.rows}, or another schema than the version's.`,
      );
    return { id, rows, arrow: { key, bytes: report.bytes, sha256: report.sha256 } };
  }
}
