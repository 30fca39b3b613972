import type { ColumnStatistics, FrameNotes, Manifest } from '@framehold/client';
import { type Signal, signal } from '@preact/signals';
import { describeFrame, type SqlColumns } from '../../grid/sql-rows.ts';
import { api } from '../../server/api.ts';

/** What several tabs of one version need: each is asked for once, when it is first needed. */
export class FrameState {
  readonly manifest: Manifest;
  /** Null until they have been asked for and are here. */
  readonly statistics: Signal<readonly ColumnStatistics[] | null> = signal(null);
  readonly sqlColumns: Signal<SqlColumns | null> = signal(null);
  readonly notes: Signal<FrameNotes | null> = signal(null);
  #statistics: Promise<readonly ColumnStatistics[]> | null = null;
  #sqlColumns: Promise<SqlColumns> | null = null;
  readonly #closing = new AbortController();

  constructor(manifest: Manifest) {
    this.manifest = manifest;
  }

  /** The frame can be read without them: if they do not come, nothing is shown. */
  loadNotes(): void {
    api.frames.notes(this.manifest.name, { signal: this.#closing.signal }).then(
      (notes) => {
        this.notes.value = notes;
      },
      () => undefined,
    );
  }

  loadStatistics(): Promise<readonly ColumnStatistics[]> {
    this.#statistics ??= api.frames
      .statistics(this.manifest.handle, { signal: this.#closing.signal })
      .then(({ columns }) => {
        this.statistics.value = columns;
        return columns;
      })
      .catch((error) => {
        // Asked for again the next time.
        this.#statistics = null;
        throw error;
      });
    return this.#statistics;
  }

  loadSqlColumns(): Promise<SqlColumns> {
    this.#sqlColumns ??= describeFrame(api, this.manifest, this.#closing.signal)
      .then((columns) => {
        this.sqlColumns.value = columns;
        return columns;
      })
      .catch((error) => {
        this.#sqlColumns = null;
        throw error;
      });
    return this.#sqlColumns;
  }

  close(): void {
    this.#closing.abort();
  }
}
