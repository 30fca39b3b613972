import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asFrameholdError, FrameholdError } from '../../model/errors.ts';
import { orderedId } from '../../model/handle.ts';
import { arrowForm } from '../../model/part-forms.ts';
import type { PartRecord } from '../../model/version.ts';
import { type LeaseOutcome, partWork } from '../../ports/catalog/leases.ts';
import { arrowKey, tenantOfKey } from '../objects/part-keys.ts';
import type { TranscodingDependencies } from '../parts/part-transcoding.ts';
import { repeatIfUnknown } from '../unknown-outcome.ts';
import type { LeasedWork } from './leased-work.ts';

export interface RecompressionDependencies extends TranscodingDependencies {
  readonly leases: LeasedWork;
}

/** Below this, a new thread costs more than the space that could be saved. */
const formBytesMin = 64 * 1024;
/** What a copy must save to be worth writing, and reading from a cold cache. */
const savingMin = 0.05;

/**
 * Gives Arrow forms that stay for good compressed bodies when there is nothing else to do. The new objects have keys of their own, so that reads of
 * the old ones go on. May run twice over the same part. Parquet forms are compressed when they are written.
 */
export class Recompression {
  readonly #dependencies: RecompressionDependencies;
  readonly #level: number | null;

  /** `level`: of zstd; null leaves the forms as they are. */
  constructor(dependencies: RecompressionDependencies, level: number | null) {
    this.#dependencies = dependencies;
    this.#level = level;
  }

  /** Works until nothing is left, something else comes first, the signal aborts, or something fails: then the next run tries again. */
  async run(mayGoOn: () => boolean, afterEach: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { catalog, now } = this.#dependencies;
    const level = this.#level;
    if (level === null) return;
    for (;;) {
      // One at a time: the next one may have been dropped and collected meanwhile.
      const [part] = await catalog.unpacked(1, now());
      if (part === undefined || signal.aborted || !mayGoOn()) return;
      if (!(await this.#leased(part, level, signal))) return;
      await afterEach();
    }
  }

  /** False if it failed and may be tried again. */
  async #leased(part: PartRecord, level: number, signal: AbortSignal): Promise<boolean> {
    const { catalog, leases } = this.#dependencies;
    const tried = await leases.attempt({
      work: partWork.recompress(part.id),
      run: async () => {
        await this.#recompress(part, level, signal);
        return 'done';
      },
      judge: (error) => this.#judge(part, error, signal),
      giveUp: () => catalog.keepArrow(part.id, level),
    });
    return tried === null || tried.lease === 'done';
  }

  async #judge(part: PartRecord, error: unknown, signal: AbortSignal): Promise<LeaseOutcome> {
    const { guard, observe } = this.#dependencies;
    if (signal.aborted) return 'untried';
    if (await guard.explains(error, arrowForm(part)?.objects ?? [])) return 'done';
    observe({ event: 'squeeze-failed', partId: part.id, form: 'arrow', error });
    // A full disk, or a store that does not answer, is not the part's fault.
    const failure = asFrameholdError(error).kind;
    return failure === 'disk_full' || failure === 'unavailable' ? 'untried' : 'failed';
  }

  async #recompress(part: PartRecord, level: number, signal: AbortSignal): Promise<void> {
    const { catalog, store, reader, codec, diskBudget, observe, now } = this.#dependencies;
    const before = arrowForm(part)?.objects[0];
    if (before === undefined || before.bytes < formBytesMin) return catalog.keepArrow(part.id, level);
    const startedAt = now();
    if (!(await diskBudget.fits(before.key, before.bytes)))
      throw new FrameholdError('disk_full', 'The disk has no room for a copy above the reserve.');
    const key = arrowKey(tenantOfKey(before.key), orderedId());
    const target = join(store.staging.directory(key), `${basename(key)}.recompressed`);
    const bytesMax = Math.floor(before.bytes * (1 - savingMin));
    const { paths, release } = await reader.open([before], signal);
    const source = paths[0] as string;
    const written = await codec
      .pack({ source, sha256: before.sha256, target, level, bytesMax }, signal)
      .catch(async (error) => {
        // A worker that was ended cannot remove what it has written.
        await rm(target, { force: true });
        throw error;
      })
      .finally(release);
    if (written === null) await catalog.keepArrow(part.id, level);
    else {
      await store.publish({ key, path: target }, written);
      await repeatIfUnknown(() => catalog.replaceArrow(part.id, before.key, { key, ...written }, level));
    }
    observe({
      event: 'squeezed',
      partId: part.id,
      form: 'arrow',
      zstdLevel: level,
      bytesBefore: before.bytes,
      bytes: written?.bytes ?? before.bytes,
      durationMs: now() - startedAt,
    });
  }
}
