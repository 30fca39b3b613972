import { rm } from 'node:fs/promises';
import { SharedWork } from '../../base/shared-work.ts';
import type { Clock } from '../../model/clock.ts';
import { asFrameholdError } from '../../model/errors.ts';
import { announce } from '../../model/failpoints.ts';
import { orderedId } from '../../model/handle.ts';
import { arrowForm } from '../../model/part-forms.ts';
import type { PartRecord, StoredObject } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { Codec } from '../../ports/codec.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';
import type { DiskBudget } from '../limits/disk-budget.ts';
import type { ObjectGuard } from '../objects/object-guard.ts';
import type { ObjectReader } from '../objects/object-reader.ts';
import { parquetKey, tenantOfKey } from '../objects/part-keys.ts';
import { publishAll } from '../objects/publish-all.ts';
import { repeatIfUnknown } from '../unknown-outcome.ts';

export interface TranscodingDependencies {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly codec: Codec;
  readonly reader: ObjectReader;
  readonly guard: ObjectGuard;
  readonly diskBudget: DiskBudget;
  readonly observe: Observe;
  readonly now: Clock;
}

export type TranscodeOutcome =
  /** The catalog has the form, or the part has gone meanwhile. */
  | { readonly kind: 'transcoded' }
  /** Parquet cannot hold it. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** A temporary problem, not a fault of the part. */
  | { readonly kind: 'disk-full'; readonly reason: string }
  /** Its Arrow form is damaged or has gone; the catalog knows. */
  | { readonly kind: 'damaged' }
  | { readonly kind: 'failed'; readonly error: unknown }
  /** A statement that waits has taken it over. */
  | { readonly kind: 'overtaken' };

/** Transcoding in the background, at low priority. */
interface BackgroundRun {
  readonly overtaken: AbortController;
  /** The files are written: a caller that comes now waits for the rest, which is short. */
  finishing: boolean;
}

/** Up to about this size, one run of rows, starting again at full priority is faster than waiting for work at low priority. */
const overtakeBytesMax = 16 * 1024 * 1024;

export interface TranscodingOptions {
  /** The background compresses at a level so high that starting again at a low one is faster, whatever the size of the part. */
  readonly isBackgroundSlow: boolean;
}

/** Adds the Parquet form to a part: in the background, or at once because a statement waits for it. Concurrent requests share the work. */
export class PartTranscoding {
  readonly #dependencies: TranscodingDependencies;
  readonly #work = new SharedWork<TranscodeOutcome>();
  readonly #background = new Map<string, BackgroundRun>();
  readonly #overtakeBytesMax: number;

  constructor(dependencies: TranscodingDependencies, options?: TranscodingOptions) {
    this.#dependencies = dependencies;
    this.#overtakeBytesMax = options?.isBackgroundSlow === true ? Number.POSITIVE_INFINITY : overtakeBytesMax;
  }

  /** Rejects only if the signal aborts. */
  transcode(
    part: PartRecord,
    options: { readonly interactive: boolean },
    signal: AbortSignal,
  ): Promise<TranscodeOutcome> {
    const arrow = arrowForm(part)?.objects[0];
    if (arrow === undefined) throw new Error(`part ${part.id} has no Arrow form to transcode`);
    const interactive = `interactive ${part.id}`;
    const running = this.#background.get(part.id);
    const overtakes =
      options.interactive && running?.finishing === false && arrow.bytes <= this.#overtakeBytesMax;
    if (overtakes) running.overtaken.abort();
    if (this.#work.has(interactive) || (options.interactive && (running === undefined || overtakes)))
      return this.#work.run(interactive, signal, (shared) => this.#transcode(part, arrow, null, shared));
    return this.#work.run(part.id, signal, (shared) => this.#inBackground(part, arrow, shared));
  }

  async #inBackground(part: PartRecord, arrow: StoredObject, signal: AbortSignal): Promise<TranscodeOutcome> {
    const background: BackgroundRun = { overtaken: new AbortController(), finishing: false };
    this.#background.set(part.id, background);
    try {
      return await this.#transcode(part, arrow, background, signal);
    } finally {
      this.#background.delete(part.id);
    }
  }

  async #transcode(
    part: PartRecord,
    arrow: StoredObject,
    background: BackgroundRun | null,
    signal: AbortSignal,
  ): Promise<TranscodeOutcome> {
    const { observe, guard } = this.#dependencies;
    try {
      // Parquet is rarely larger than the Arrow form: if that fits, the reserve stays untouched.
      if (
        !(await this.#dependencies.diskBudget.fits(
          parquetKey(tenantOfKey(arrow.key), part.id, 0),
          arrow.bytes,
        ))
      )
        return {
          kind: 'disk-full',
          reason: `the disk has no room for ${arrow.bytes} bytes above the reserve`,
        };
      return await this.#write(part, arrow, background, signal);
    } catch (error) {
      if (signal.aborted) throw error;
      if (background?.overtaken.signal.aborted) return { kind: 'overtaken' };
      const { kind, message } = asFrameholdError(error);
      if (kind === 'disk_full') return { kind: 'disk-full', reason: message };
      // It is marked as damaged or gone, so it is not offered again.
      if (await guard.explains(error, [arrow])) return { kind: 'damaged' };
      // Too many wait: nothing was tried.
      if (kind !== 'overloaded' && kind !== 'draining')
        observe({ event: 'settle-failed', partId: part.id, error });
      return { kind: 'failed', error };
    }
  }

  async #write(
    part: PartRecord,
    arrow: StoredObject,
    background: BackgroundRun | null,
    signal: AbortSignal,
  ): Promise<TranscodeOutcome> {
    const { catalog, store, reader, codec, observe, now } = this.#dependencies;
    const startedAt = now();
    const attempt = orderedId();
    const keyOf = (index: number) => parquetKey(tenantOfKey(arrow.key), attempt, index);
    announce('transcode:begun');
    const { paths, release } = await reader.open([arrow], signal);
    const request = {
      source: paths[0] as string,
      sha256: arrow.sha256,
      targetDirectory: store.staging.directory(keyOf(0)),
      targetPrefix: `${attempt}-`,
      interactive: background === null,
    };
    const until = background === null ? signal : AbortSignal.any([signal, background.overtaken.signal]);
    const report = await codec.transcode(request, until).finally(release);
    if (background !== null) background.finishing = true;
    if (background?.overtaken.signal.aborted) {
      for (const { path } of report.files) await rm(path, { force: true });
      return { kind: 'overtaken' };
    }
    announce('transcode:written');
    if (report.refusal !== null) {
      await catalog.refuseTranscoding(part.id, report.refusal, now());
      announce('transcode:refused');
      observe({ event: 'settle-refused', partId: part.id, reason: report.refusal });
      return { kind: 'refused', reason: report.refusal };
    }
    const files = report.files.map(({ path, bytes, sha256 }, index) => ({
      key: keyOf(index),
      path,
      content: { bytes, sha256 },
    }));
    const objects = await publishAll(store, files, () => announce('transcode:adopted'));
    const form = { kind: 'parquet', objects, exact: report.exact } as const;
    const at = now();
    await repeatIfUnknown(() => catalog.addForm(part.id, form, at));
    announce('transcode:recorded');
    observe({
      event: 'settled',
      partId: part.id,
      files: objects.length,
      bytes: objects.reduce((sum, object) => sum + object.bytes, 0),
      exact: report.exact,
      durationMs: now() - startedAt,
    });
    return { kind: 'transcoded' };
  }
}
