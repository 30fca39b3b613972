import { LruCache } from '../base/lru-cache.ts';
import type { PartSource } from '../ports/reading.ts';
import { type ArrowPositions, positionBytes, seekPoint } from './positions/arrow-positions.ts';
import type { RowsJob, SoughtSource } from './rows/rows-job.ts';

/** What a worker does for it. */
export interface PositionWork {
  arrow(path: string): Promise<ArrowPositions>;
  /** How many rows each of these Parquet files has. */
  parquet(paths: readonly string[]): Promise<Float64Array>;
}

/** What is known of some files. */
interface Known {
  readonly bytes: number;
  readonly arrow?: ArrowPositions;
  readonly parquet?: Float64Array;
}

/** All that is kept: 128 files with as many batches as are kept of one. Files never change; those read least recently are forgotten. */
const bytesMax = 16 * 1024 * 1024;
/** A smaller file is read through faster than another thread is asked about it. */
const soughtBytesMin = 4 * 1024 * 1024;

/** Finds where in their files the rows of a job are, so that a worker reads only what it needs. */
export class FilePositions {
  readonly #work: PositionWork;
  readonly #known = new LruCache<Known>({ bytesMax });
  /** Many readers may need the same file at once. */
  readonly #finding = new Map<string, Promise<Known | null>>();

  constructor(work: PositionWork) {
    this.#work = work;
  }

  /** The same rows out of fewer files, or from a place inside of the first one. */
  async locate(job: RowsJob): Promise<RowsJob> {
    const sources: SoughtSource[] = [];
    let { offset } = job;
    let wanted = offset + job.rowCount;
    for (const source of job.sources) {
      if (wanted <= 0) break;
      const isFirst = sources.length === 0;
      const skip = isFirst ? offset : 0;
      if (source.rows <= skip) {
        offset -= source.rows;
        wanted -= source.rows;
        continue;
      }
      if (source.kind === 'parquet') {
        const { passed, kept } = await this.#fewerFiles(source, skip, Math.min(wanted, source.rows));
        sources.push(kept);
        if (isFirst) offset -= passed;
      } else sources.push(skip === 0 ? source : await this.#sought(source, skip));
      wanted -= source.rows;
    }
    return { ...job, sources, offset };
  }

  async #sought(source: PartSource, skip: number): Promise<SoughtSource> {
    const [path] = source.paths;
    if (path === undefined || (source.bytes ?? soughtBytesMin) < soughtBytesMin) return source;
    const known = await this.#find(path, async () => {
      const found = await this.#work.arrow(path);
      return { arrow: found, bytes: positionBytes(found) };
    });
    const seek = known?.arrow === undefined ? null : seekPoint(known.arrow, skip);
    return seek === null ? source : { ...source, seek };
  }

  /** The files of a part with rows from `from` to `to`. `passed`: rows of those before them. */
  async #fewerFiles(
    source: PartSource,
    from: number,
    to: number,
  ): Promise<{ readonly passed: number; readonly kept: PartSource }> {
    const { paths } = source;
    if (paths.length < 2) return { passed: 0, kept: source };
    const known = await this.#find(paths.join('\n'), async () => {
      const found = await this.#work.parquet(paths);
      return { parquet: found, bytes: found.byteLength };
    });
    const rowsOf = known?.parquet;
    if (rowsOf?.reduce((sum, rows) => sum + rows, 0) !== source.rows) return { passed: 0, kept: source };
    let passed = 0;
    let end = 0;
    const kept: string[] = [];
    for (const [index, path] of paths.entries()) {
      const rows = rowsOf[index] as number;
      if (end + rows <= from) passed += rows;
      else if (end < to) kept.push(path);
      end += rows;
    }
    return { passed, kept: { ...source, rows: source.rows - passed, paths: kept } };
  }

  /** null if it could not be found out: then the rows are read without it, and what is wrong with a file is reported there. */
  async #find(key: string, work: () => Promise<Known>): Promise<Known | null> {
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    let finding = this.#finding.get(key);
    if (finding === undefined) {
      finding = work()
        .then((found) => {
          this.#known.set(key, found, found.bytes);
          return found;
        })
        .catch(() => null)
        .finally(() => this.#finding.delete(key));
      this.#finding.set(key, finding);
    }
    return finding;
  }
}
