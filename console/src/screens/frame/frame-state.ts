import type { ColumnStatistics, Manifest } from '@framehold/client';
import { type Signal, signal } from '@preact/signals';
import { describeFrame, type SqlColumns } from '../../grid/sql-rows.ts';
import { api } from '../../server/api.ts';

/** What several tabs of one version need: each is asked for once, when it is first needed. */
export class FrameState {
  readonly manifest: Manifest;
  /** Null until they have been asked for and are here. */
  readonly statistics: Signal<readonly ColumnStatistics[] | null> = signal(null);
  readonly sqlColumns: Signal<SqlColumns | null> = signal(null);
  #statistics: Promise<readonly ColumnStatistics[]> | null = null;
  #sqlColumns: Promise<SqlColumns> | null = null;
  readonly #closing = new AbortController();

  constructor(manifest: Manifest) {
    this.manifest = manifest;
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
