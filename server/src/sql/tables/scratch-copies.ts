import { rm } from 'node:fs/promises';
import { SharedWork } from '../../base/shared-work.ts';
import { arrowKey, parquetKey } from '../../frames/objects/part-keys.ts';
import { openCompactionSources } from '../../frames/parts/compaction-sources.ts';
import type { TranscodingDependencies } from '../../frames/parts/part-transcoding.ts';
import { FrameholdError } from '../../model/errors.ts';
import { orderedId } from '../../model/handle.ts';
import { exactObjects } from '../../model/part-forms.ts';
import type { PartRecord, SchemaRecord } from '../../model/version.ts';

/** Parquet files that hold the rows of several neighbouring parts. They stay until `release`. */
export interface ScratchCopy {
  readonly partIds: readonly string[];
  readonly files: readonly string[];
  release(): void;
}

interface Entry {
  readonly partIds: readonly string[];
  readonly files: readonly string[];
  readonly bytes: number;
  users: number;
}

export type ScratchOutcome =
  | { readonly kind: 'copied' }
  /** This part cannot be in a scratch copy: it must be transcoded by itself. */
  | { readonly kind: 'apart'; readonly partId: string };

/** A run is compacted in memory, and all its files are open: the limits of compaction in the background. */
export const runPartsMax = 1_000;
export const runBytesMax = 64e6;
/** For compressed parts, whose size is known only when they are unpacked. */
const targetBytesMax = 2 * runBytesMax;
/** Kept for the next statements: several times what a busy log of small parts needs. */
const entriesMax = 256;
const bytesMax = 256 * 1024 * 1024;

/**
 * Small parts that cannot be compacted yet, because each of them ends a version that is kept. A file for each would cost a statement a millisecond
 * per file, and transcoding them a thread for each. So a run of them is written as one Parquet file, outside the store, for the statements that read
 * it. The catalog does not know these files; a start removes what was left.
 */
export class ScratchCopies {
  readonly #dependencies: TranscodingDependencies;
  /** By the first part's id, in order of last use. */
  readonly #entries = new Map<string, Entry[]>();
  readonly #work = new SharedWork<ScratchOutcome>();
  #count = 0;
  #bytes = 0;

  constructor(dependencies: TranscodingDependencies) {
    this.#dependencies = dependencies;
  }

  /** The longest scratch copy that begins at this index and does not extend beyond the parts. It is in use until it is released. */
  take(parts: readonly PartRecord[], index: number): ScratchCopy | null {
    const first = parts[index]?.id ?? '';
    const entries = this.#entries.get(first) ?? [];
    let best: Entry | null = null;
    for (const entry of entries)
      if (entry.partIds.length > (best?.partIds.length ?? 0) && matches(entry, parts, index)) best = entry;
    if (best === null) return null;
    this.#entries.delete(first);
    this.#entries.set(first, entries);
    return this.#use(best);
  }

  /** Writes a scratch copy of neighbouring parts. Statements that need the same run share the work. */
  write(
    tenant: string,
    run: readonly PartRecord[],
    schema: SchemaRecord,
    signal: AbortSignal,
  ): Promise<ScratchOutcome> {
    const key = `${run[0]?.id} ${run.at(-1)?.id} ${run.length}`;
    return this.#work.run(key, signal, (shared) => this.#writeScratchCopy(tenant, run, schema, shared));
  }

  async close(): Promise<void> {
    for (const entries of this.#entries.values()) for (const entry of entries) await removeFiles(entry);
    this.#entries.clear();
  }

  async #writeScratchCopy(
    tenant: string,
    run: readonly PartRecord[],
    schema: SchemaRecord,
    signal: AbortSignal,
  ): Promise<ScratchOutcome> {
    const { codec, store, reader, diskBudget, observe, now } = this.#dependencies;
    const startedAt = now();
    const id = orderedId();
    const key = arrowKey(tenant, id);
    const target = parquetKey(tenant, id, 0);
    const runBytes = run.reduce((sum, part) => sum + scratchBytes(part), 0);
    if (!(await diskBudget.fits(key, runBytes)) || !(await diskBudget.fits(target, runBytes)))
      throw new FrameholdError(
        'disk_full',
        'There is no room on the disk to make the frame readable for SQL.',
        {
          hint: 'Drop frames or free disk space, then retry. The reserve is storage.reserve_bytes.',
        },
      );
    const { sources, release } = await openCompactionSources(reader, run, signal);
    const staged = await store.staging.file(key).catch((error) => {
      release();
      throw error;
    });
    try {
      const compact = { sources, schema, target: staged.path, targetBytesMax, interactive: true };
      const { refusal } = await codec.compact(compact, signal).finally(release);
      if (refusal !== null) return { kind: 'apart', partId: run[refusal.source]?.id ?? '' };
      const report = await codec.transcode(
        {
          source: staged.path,
          sha256: await codec.hash(staged.path, 'sha256', signal),
          targetDirectory: store.staging.directory(target),
          targetPrefix: `${id}-`,
          interactive: true,
        },
        signal,
      );
      // Transcoding each part by itself shows which one it is.
      if (report.refusal !== null) return { kind: 'apart', partId: run[0]?.id ?? '' };
      const bytes = report.files.reduce((sum, file) => sum + file.bytes, 0);
      const partIds = run.map((part) => part.id);
      this.#add({ partIds, files: report.files.map((file) => file.path), bytes, users: 0 });
      observe({ event: 'gathered', parts: run.length, bytes, durationMs: now() - startedAt });
      return { kind: 'copied' };
    } finally {
      await staged.discard();
    }
  }

  #use(entry: Entry): ScratchCopy {
    entry.users += 1;
    let used = true;
    return {
      partIds: entry.partIds,
      files: entry.files,
      release: () => {
        if (!used) return;
        used = false;
        entry.users -= 1;
        this.#makeRoom();
      },
    };
  }

  #add(entry: Entry): void {
    const first = entry.partIds[0] ?? '';
    const entries = this.#entries.get(first) ?? [];
    this.#entries.delete(first);
    this.#entries.set(first, [...entries, entry]);
    this.#count += 1;
    this.#bytes += entry.bytes;
  }

  /** Removes the least recently used first. One that is in use stays, even above the limit. */
  #makeRoom(): void {
    for (const [first, entries] of this.#entries) {
      if (this.#count <= entriesMax && this.#bytes <= bytesMax) return;
      const used = entries.filter((entry) => entry.users > 0);
      for (const entry of entries) {
        if (entry.users > 0) continue;
        this.#count -= 1;
        this.#bytes -= entry.bytes;
        removeFiles(entry).catch(() => {});
      }
      if (used.length > 0) this.#entries.set(first, used);
      else this.#entries.delete(first);
    }
  }
}

export function scratchBytes(part: PartRecord): number {
  return exactObjects(part).reduce((sum, object) => sum + object.bytes, 0);
}

function matches({ partIds }: Entry, parts: readonly PartRecord[], index: number): boolean {
  return partIds.every((id, offset) => parts[index + offset]?.id === id);
}

async function removeFiles({ files }: Entry): Promise<void> {
  for (const file of files) await rm(file, { force: true });
}
