import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { asFrameholdError, FrameholdError } from '../../model/errors.ts';
import { orderedId } from '../../model/handle.ts';
import type { PartForm, PartRecord } from '../../model/version.ts';
import { type LeaseOutcome, partWork } from '../../ports/catalog/leases.ts';
import type { Written } from '../../ports/codec.ts';
import { arrowKey, parquetKey, tenantOfKey } from '../objects/part-keys.ts';
import { publishAll } from '../objects/publish-all.ts';
import type { TranscodingDependencies } from '../parts/part-transcoding.ts';
import { repeatIfUnknown } from '../unknown-outcome.ts';
import type { LeasedWork } from './leased-work.ts';

/** Levels of zstd; null leaves the forms as they are. */
export interface RecompressionLevels {
  /** For Arrow forms that stay for good. */
  readonly arrow: number | null;
  /** For Parquet forms that were first written at a lower level. */
  readonly parquet: number | null;
}

export interface RecompressionDependencies extends TranscodingDependencies {
  readonly leases: LeasedWork;
}

/** Below this, a new thread costs more than the space that could be saved. */
const formBytesMin = 64 * 1024;
/** What a copy must save to be worth writing, and reading from a cold cache. */
const savings = { arrow: 0.05, parquet: 0.02 } as const;

/**
 * Makes forms smaller when there is nothing else to do: Arrow forms that stay for good get compressed bodies, Parquet forms a higher level. The
 * new objects have keys of their own, so that reads of the old ones go on. May run twice over the same part.
 */
export class Recompression {
  readonly #dependencies: RecompressionDependencies;
  readonly #levels: RecompressionLevels;

  constructor(dependencies: RecompressionDependencies, levels: RecompressionLevels) {
    this.#dependencies = dependencies;
    this.#levels = levels;
  }

  /** Works until nothing is left, something else comes first, the signal aborts, or something fails: then the next run tries again. */
  async run(mayGoOn: () => boolean, afterEach: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { catalog, now } = this.#dependencies;
    const { arrow, parquet } = this.#levels;
    const lists: [PartForm['kind'], number | null, (level: number) => Promise<readonly PartRecord[]>][] = [
      ['arrow', arrow, () => catalog.unpacked(1, now())],
      ['parquet', parquet, (level) => catalog.belowLevel(level, 1, now())],
    ];
    for (const [kind, level, list] of lists) {
      if (level === null) continue;
      for (;;) {
        // One at a time: the next one may have been dropped and collected meanwhile.
        const [part] = await list(level);
        if (part === undefined) break;
        if (signal.aborted || !mayGoOn()) return;
        if (!(await this.#leased(part, kind, level, signal))) return;
        await afterEach();
      }
    }
  }

  /** False if it failed and may be tried again. */
  async #leased(
    part: PartRecord,
    kind: PartForm['kind'],
    level: number,
    signal: AbortSignal,
  ): Promise<boolean> {
    const { catalog, leases } = this.#dependencies;
    const tried = await leases.attempt({
      work: kind === 'arrow' ? partWork.recompressArrow(part.id) : partWork.recompressParquet(part.id),
      run: async () => {
        await this.#recompress(part, kind, level, signal);
        return 'done';
      },
      judge: (error) => this.#judge(part, kind, error, signal),
      giveUp: () => catalog.keepForm(part.id, kind, level),
    });
    return tried === null || tried.lease === 'done';
  }

  async #judge(
    part: PartRecord,
    kind: PartForm['kind'],
    error: unknown,
    signal: AbortSignal,
  ): Promise<LeaseOutcome> {
    const { guard, observe } = this.#dependencies;
    if (signal.aborted) return 'untried';
    const objects = part.forms.find((form) => form.kind === kind)?.objects ?? [];
    if (await guard.explains(error, objects)) return 'done';
    observe({ event: 'squeeze-failed', partId: part.id, form: kind, error });
    // A full disk, or a store that does not answer, is not the part's fault.
    const failure = asFrameholdError(error).kind;
    return failure === 'disk_full' || failure === 'unavailable' ? 'untried' : 'failed';
  }

  async #recompress(
    part: PartRecord,
    kind: PartForm['kind'],
    level: number,
    signal: AbortSignal,
  ): Promise<void> {
    const { catalog, store, reader, diskBudget, observe, now } = this.#dependencies;
    const form = part.forms.find((each) => each.kind === kind);
    const bytesBefore = totalBytes(form?.objects ?? []);
    if (form === undefined || bytesBefore < formBytesMin) return catalog.keepForm(part.id, kind, level);
    const startedAt = now();
    if (!(await diskBudget.fits(form.objects[0]?.key ?? '', bytesBefore)))
      throw new FrameholdError('disk_full', 'The disk has no room for a copy above the reserve.');
    const bytesMax = Math.floor(bytesBefore * (1 - savings[kind]));
    const sources = await reader.open(form.objects, signal);
    const copies = this.#copies(form, sources.paths);
    const written = await this.#written(kind, copies, level, bytesMax, signal)
      .catch(async (error) => {
        // A worker that was ended cannot remove what it has written.
        for (const { target } of copies) await rm(target, { force: true });
        throw error;
      })
      .finally(sources.release);
    if (written === null) await catalog.keepForm(part.id, kind, level);
    else {
      const files = written.map((content, index) => {
        const { target, key } = copies[index] as FormCopy;
        return { key, path: target, content };
      });
      const objects = await publishAll(store, files);
      const before = form.objects.map(({ key }) => key);
      await repeatIfUnknown(() => catalog.replaceForm(part.id, before, { ...form, objects }, level));
    }
    const bytes = written === null ? bytesBefore : totalBytes(written);
    const durationMs = now() - startedAt;
    observe({
      event: 'squeezed',
      partId: part.id,
      form: kind,
      zstdLevel: level,
      bytesBefore,
      bytes,
      durationMs,
    });
  }

  #copies({ kind, objects }: PartForm, paths: readonly string[]): FormCopy[] {
    const { staging } = this.#dependencies.store;
    const attempt = orderedId();
    const copies: FormCopy[] = [];
    for (const [index, { key: before, sha256 }] of objects.entries()) {
      const tenant = tenantOfKey(before);
      const key = kind === 'arrow' ? arrowKey(tenant, attempt) : parquetKey(tenant, attempt, index);
      const target = join(staging.directory(key), `${basename(key)}.recompressed`);
      copies.push({ source: paths[index] as string, sha256, target, key });
    }
    return copies;
  }

  async #written(
    kind: PartForm['kind'],
    copies: readonly FormCopy[],
    level: number,
    bytesMax: number,
    signal: AbortSignal,
  ): Promise<readonly Written[] | null> {
    const { codec } = this.#dependencies;
    if (kind === 'parquet') return codec.recompress({ files: copies, level, bytesMax }, signal);
    const [copy] = copies;
    if (copy === undefined) return null;
    const written = await codec.pack({ ...copy, level, bytesMax }, signal);
    return written === null ? null : [written];
  }
}

interface FormCopy {
  readonly source: string;
  readonly sha256: string;
  readonly target: string;
  readonly key: string;
}

function totalBytes(objects: readonly { readonly bytes: number }[]): number {
  return objects.reduce((sum, object) => sum + object.bytes, 0);
}
