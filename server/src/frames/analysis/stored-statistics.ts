import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { VersionRecord } from '../../model/version.ts';
import type { StatisticsCatalog } from '../../ports/catalog/statistics.ts';
import type { ColumnStatistics } from './analysis.ts';

/** By the position of the column. */
export type StatisticsByColumn = ReadonlyMap<number, ColumnStatistics>;

/** Another number means that statistics are computed in another way: those that are kept are not used any more. */
const format = 1;
/** Ten thousand columns have some 20 MB of text. */
const textBytesMax = 256 * 1024 * 1024;

interface StoredBody {
  readonly format: number;
  readonly columns: readonly (readonly [index: number, statistics: ColumnStatistics])[];
}

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/** Statistics in the catalog. A version never changes, so they are never stale. */
export class StoredStatistics {
  readonly #catalog: StatisticsCatalog;

  constructor(catalog: StatisticsCatalog) {
    this.#catalog = catalog;
  }

  /** Those of a version; for a restored one also those of the version whose rows it has. */
  async find(record: VersionRecord): Promise<StatisticsByColumn> {
    const own = await this.#read(record, record.version);
    const { from } = record.origin;
    if (own.size > 0 || from === undefined) return own;
    return this.#read(record, from);
  }

  /** Adds to what is there: callers may ask for different columns at the same time. */
  async add(record: VersionRecord, found: StatisticsByColumn): Promise<void> {
    const columns = [...new Map([...(await this.find(record)), ...found])];
    const body = await compress(JSON.stringify({ format, columns } satisfies StoredBody));
    // Bytes of their own: a view would send its whole buffer to the catalog's thread.
    const { tenant, name, version, versionId } = record;
    await this.#catalog.keepStatistics(tenant, name, version, new Uint8Array(body), versionId);
  }

  async #read({ tenant, name }: VersionRecord, version: number): Promise<StatisticsByColumn> {
    const body = await this.#catalog.statistics(tenant, name, version);
    if (body === null) return new Map();
    const text = await decompress(body, { maxOutputLength: textBytesMax });
    const kept = JSON.parse(text.toString()) as StoredBody;
    return new Map(kept.format === format ? kept.columns : []);
  }
}
