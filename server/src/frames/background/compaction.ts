import { stat } from 'node:fs/promises';
import type { Clock } from '../../model/clock.ts';
import type { CompactionLimits } from '../../model/compaction-runs.ts';
import { asFrameholdError, FrameholdError } from '../../model/errors.ts';
import { announce } from '../../model/failpoints.ts';
import { orderedId } from '../../model/handle.ts';
import { exactForm, exactObjects } from '../../model/part-forms.ts';
import { type LeaseOutcome, partWork } from '../../ports/catalog/leases.ts';
import type { CompactionRun, MaintenanceCatalog } from '../../ports/catalog/maintenance.ts';
import type { NewPart } from '../../ports/catalog/versions.ts';
import type { Codec } from '../../ports/codec.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';
import type { DiskBudget } from '../limits/disk-budget.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import { arrowKey } from '../objects/part-keys.ts';
import { openCompactionSources } from '../parts/compaction-sources.ts';
import { isOutcomeUnknown, repeatIfUnknown } from '../unknown-outcome.ts';
import type { LeasedWork } from './leased-work.ts';

export interface CompactionDependencies {
  readonly catalog: MaintenanceCatalog;
  readonly store: ObjectStore;
  readonly codec: Codec;
  readonly reader: ObjectReader;
  readonly guard: ObjectGuard;
  readonly leases: LeasedWork;
  readonly diskBudget: DiskBudget;
  readonly observe: Observe;
  readonly now: Clock;
}

/**
 * A part of 64 MB reads as fast as a larger one, and is held in memory while it is made. Eight parts at least, because a compaction starts a
 * thread; a thousand at most, because all their files are open. Growing fourfold, a row is written again eight times at
 * most from 1 kB on.
 */
export const compactionLimits: CompactionLimits = {
  partBytesMax: 16e6,
  runBytesMax: 64e6,
  runPartsMin: 8,
  runPartsMax: 1_000,
  growthMin: 4,
};
/** For compressed parts, whose size is known only when they are unpacked. */
const targetBytesMax = 2 * compactionLimits.runBytesMax;

/** Makes one part out of many small ones. May run twice: compacted parts are not offered again. */
export class Compaction {
  readonly #dependencies: CompactionDependencies;

  constructor(dependencies: CompactionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Compacts until nothing is left or the signal aborts; returns how many compactions it made. */
  async run(signal: AbortSignal): Promise<number> {
    let compactions = 0;
    while (!signal.aborted) {
      const { catalog, leases, now } = this.#dependencies;
      const run = await catalog.compactable(compactionLimits, now());
      if (run === null || !(await this.#hasRoom(run))) break;
      const tried = await leases.attempt({
        work: partWork.compact(run.parts[0]?.id ?? ''),
        run: async () => {
          if (await this.#compact(run, signal)) compactions += 1;
          return 'done';
        },
        judge: (error) => this.#judge(run, error, signal),
        giveUp: async (reason) => {
          for (const part of run.parts) await catalog.refuseCompaction(part.id, reason);
        },
      });
      // Tried again in the next run, not at once: a full disk needs time.
      if (tried !== null && tried.lease !== 'done' && !signal.aborted) throw tried.error;
    }
    return compactions;
  }

  async #judge(run: CompactionRun, error: unknown, signal: AbortSignal): Promise<LeaseOutcome> {
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
  async #hasRoom(run: CompactionRun): Promise<boolean> {
    const bytes = run.parts.flatMap(exactObjects).reduce((sum, object) => sum + object.bytes, 0);
    return this.#dependencies.diskBudget.fits(arrowKey(run.tenant, 'any'), bytes);
  }

  async #compact(run: CompactionRun, signal: AbortSignal): Promise<boolean> {
    const { store, reader, codec, observe, now } = this.#dependencies;
    const startedAt = now();
    const id = orderedId();
    // Found damaged since the run was chosen: the next one is without it.
    if (run.parts.some((part) => exactForm(part) === undefined)) return false;
    const { sources, release } = await openCompactionSources(reader, run.parts, signal);
    const staged = await store.staging.file(arrowKey(run.tenant, id)).catch((error) => {
      release();
      throw error;
    });
    announce('compact:begun');
    try {
      const request = { sources, schema: run.schema, target: staged.path, targetBytesMax };
      const { refusal } = await codec.compact(request, signal).finally(release);
      announce('compact:written');
      if (refusal !== null) return this.#refuse(run.parts[refusal.source]?.id ?? '', refusal.reason);
      const part = await this.#checked(run, id, staged.key, staged.path);
      signal.throwIfAborted();
      await store.publish(staged, part.arrow);
      announce('compact:published');
      const ids = run.parts.map((each) => each.id);
      const taken = await this.#replace(ids, part);
      announce('compact:recorded');
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
    await this.#dependencies.catalog.refuseCompaction(partId, reason);
    this.#dependencies.observe({ event: 'merge-refused', partId, reason });
    return false;
  }

  async #replace(ids: readonly string[], part: NewPart): Promise<boolean> {
    const { catalog, store, now } = this.#dependencies;
    const { key } = part.arrow;
    try {
      return await repeatIfUnknown(() => catalog.compact(ids, part, now()));
    } catch (error) {
      // The catalog may have taken the part, and then nothing else has its rows.
      if (!isOutcomeUnknown(error)) await store.remove(key);
      throw error;
    }
  }

  /** The compacted stream is checked like an upload. */
  async #checked(run: CompactionRun, id: string, key: string, path: string): Promise<NewPart> {
    const { size } = await stat(path);
    const check = this.#dependencies.codec.check(path);
    const report = await check.finish(size);
    const rows = run.parts.reduce((sum, part) => sum + part.rows, 0);
    if (report.rows !== rows || report.schema.hash !== run.schema.hash)
      throw new FrameholdError(
        'internal',
        `Compacting ${rows} rows gave ${report.rows}, or another schema than the version's.`,
      );
    return { id, rows, arrow: { key, bytes: report.bytes, sha256: report.sha256 } };
  }
}
