import type { Leases } from '../leases.ts';
import type { Observe } from '../observation.ts';
import { parquetKey } from '../part-keys.ts';
import type { Catalog } from '../ports/catalog.ts';
import type { Codec } from '../ports/codec.ts';
import type { ObjectStore } from '../ports/object-store.ts';
import { announce } from '../steps.ts';
import type { PartRecord, StoredObject } from '../version.ts';

export interface SettlingParts {
  readonly catalog: Catalog;
  readonly store: ObjectStore;
  readonly codec: Codec;
  readonly leases: Leases;
  readonly observe: Observe;
  readonly now: () => number;
}

/** Parts asked for at once. One, and leased in the turn in which it is answered: a further one may be dropped and collected by its turn. */
const pageParts = 1;
/** A fault of the machine may pass; one of the part does not. After this many the part keeps its Arrow form only. */
const triesMax = 3;

/** Adds the Parquet form to parts that have none. May run twice over the same part: the second adds nothing. */
export class Settling {
  readonly #parts: SettlingParts;
  readonly #tries = new Map<string, number>();

  constructor(parts: SettlingParts) {
    this.#parts = parts;
  }

  /** Settles until nothing is left or the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const page = await this.#parts.catalog.unsettled(pageParts);
      if (page.length === 0) return;
      for (const part of page) {
        if (signal.aborted) return;
        await this.#settleOrRemember(part, signal);
      }
    }
  }

  async #settleOrRemember(part: PartRecord, signal: AbortSignal): Promise<void> {
    const { catalog, observe } = this.#parts;
    try {
      await this.#settle(part, signal);
      this.#tries.delete(part.id);
    } catch (error) {
      if (signal.aborted) return;
      observe({ event: 'settle-failed', partId: part.id, error });
      const tries = (this.#tries.get(part.id) ?? 0) + 1;
      this.#tries.set(part.id, tries);
      if (tries < triesMax) return;
      this.#tries.delete(part.id);
      await catalog.refuseSettling(
        part.id,
        `failed ${tries} times: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  async #settle(part: PartRecord, signal: AbortSignal): Promise<void> {
    const { catalog, store, codec, leases, observe, now } = this.#parts;
    const arrow = part.forms.find((form) => form.kind === 'arrow')?.objects[0];
    if (arrow === undefined) return;
    const startedAt = now();
    const release = leases.take([arrow.key]);
    announce('settle:begun');
    try {
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
    } finally {
      release();
    }
  }
}
