import { stat } from 'node:fs/promises';
import type { Clock } from '../../model/clock.ts';
import { asFrameholdError, FrameholdError } from '../../model/errors.ts';
import { orderedId } from '../../model/handle.ts';
import type { MergeLimits } from '../../model/merge-runs.ts';
import { exactForm, exactObjects } from '../../model/part-forms.ts';
import { announce } from '../../model/steps.ts';
import { type ClaimOutcome, partWork } from '../../ports/catalog/claims.ts';
import type { MaintenanceCatalog, MergeRun } from '../../ports/catalog/maintenance.ts';
import type { NewPart } from '../../ports/catalog/versions.ts';
import type { Codec } from '../../ports/codec.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';
import type { DiskRoom } from '../limits/disk-room.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import { arrowKey } from '../objects/part-keys.ts';
import { openMergeSources } from '../parts/merge-sources.ts';
import { isOutcomeUnknown, repeatIfUnknown } from '../unknown-outcome.ts';
import type { ClaimedWork } from './claimed-work.ts';

export interface MergingDependencies {
  readonly catalog: MaintenanceCatalog;
  readonly store: ObjectStore;
  readonly codec: Codec;
  readonly reader: ObjectReader;
  readonly guard: ObjectGuard;
  readonly claims: ClaimedWork;
  readonly room: DiskRoom;
  readonly observe: Observe;
  readonly now: Clock;
}

/**
 * A part of 64 MB reads as fast as a larger one, and is held in memory while it is made. Eight parts at least, because a merge starts a
 * thread; a thousand at most, because all their files are open. Growing fourfold, a row is written again eight times at
 * most from 1 kB on.
 */
export const mergeLimits: MergeLimits = {
  partBytesMax: 16e6,
  runBytesMax: 64e6,
  runPartsMin: 8,
  runPartsMax: 1_000,
  growthMin: 4,
};
/** For compressed parts, whose size is known only when they are unpacked. */
const targetBytesMax = 2 * mergeLimits.runBytesMax;

/** Makes one part out of many small ones. May run twice: merged parts are not offered again. */
export class Merging {
  readonly #dependencies: MergingDependencies;

  constructor(dependencies: MergingDependencies) {
    this.#dependencies = dependencies;
  }

  /** Merges until nothing is left or the signal aborts; returns how many merges it made. */
  async run(signal: AbortSignal): Promise<number> {
    let merges = 0;
    while (!signal.aborted) {
      const { catalog, claims, now } = this.#dependencies;
      const run = await catalog.mergeable(mergeLimits, now());
      if (run === null || !(await this.#hasRoom(run))) break;
      const tried = await claims.attempt({
        work: partWork.merge(run.parts[0]?.id ?? ''),
        run: async () => {
          if (await this.#merge(run, signal)) merges += 1;
          return 'done';
        },
        judge: (error) => this.#judge(run, error, signal),
        giveUp: async (reason) => {
          for (const part of run.parts) await catalog.refuseMerging(part.id, reason);
        },
      });
      // Tried again in the next run, not at once: a full disk needs time.
      if (tried !== null && tried.claim !== 'done' && !signal.aborted) throw tried.error;
    }
    return merges;
  }

  async #judge(run: MergeRun, error: unknown, signal: AbortSignal): Promise<ClaimOutcome> {
    const { guard, observe } = this.#dependencies;
    if (signal.aborted) return 'untried';
    // Gone or marked as damaged: the catalog offers another run, or none.
    if (await guard.explains(error, run.parts.flatMap(exactObjects))) return 'done';
    observe({ event: 'merge-failed', partId: run.parts[0]?.id ?? '', parts: run.parts.length, error });
    // No fault of the parts.
    const { kind } = asFrameholdError(error);
    return kind === 'disk_full' || kind === 'unavailable' ? 'untried' : 'failed';
  }

  /** Sources and result are on the disk at the same time; what does not fit waits for a later run. */
  async #hasRoom(run: MergeRun): Promise<boolean> {
    const bytes = run.parts.flatMap(exactObjects).reduce((sum, object) => sum + object.bytes, 0);
    return this.#dependencies.room.fits(arrowKey(run.tenant, 'any'), bytes);
  }

  async #merge(run: MergeRun, signal: AbortSignal): Promise<boolean> {
    const { store, reader, codec, observe, now } = this.#dependencies;
    const startedAt = now();
    const id = orderedId();
    // Found damaged since the run was chosen: the next one is without it.
    if (run.parts.some((part) => exactForm(part) === undefined)) return false;
    const { sources, release } = await openMergeSources(reader, run.parts, signal);
    const staged = await store.staging.file(arrowKey(run.tenant, id)).catch((error) => {
      release();
      throw error;
    });
    announce('merge:begun');
    try {
      const request = { sources, schema: run.schema, target: staged.path, targetBytesMax };
      const { refusal } = await codec.merge(request, signal).finally(release);
      announce('merge:written');
      if (refusal !== null) return this.#refuse(run.parts[refusal.source]?.id ?? '', refusal.reason);
      const part = await this.#checked(run, id, staged.key, staged.path);
      signal.throwIfAborted();
      await store.publish(staged, part.arrow);
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

  async #refuse(partId: string, reason: string): Promise<false> {
    await this.#dependencies.catalog.refuseMerging(partId, reason);
    this.#dependencies.observe({ event: 'merge-refused', partId, reason });
    return false;
  }

  async #replace(ids: readonly string[], part: NewPart): Promise<boolean> {
    const { catalog, store, now } = this.#dependencies;
    const { key } = part.arrow;
    try {
      return await repeatIfUnknown(() => catalog.merge(ids, part, now()));
    } catch (error) {
      // The catalog may have taken the part, and then nothing else has its rows.
      if (!isOutcomeUnknown(error)) await store.remove(key);
      throw error;
    }
  }

  /** The merged stream is checked like an upload. */
  async #checked(run: MergeRun, id: string, key: string, path: string): Promise<NewPart> {
    const { size } = await stat(path);
    const check = this.#dependencies.codec.check(path);
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
