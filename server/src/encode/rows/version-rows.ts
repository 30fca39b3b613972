import type { SeekPoint } from '../positions/arrow-positions.ts';
import { RowWindow } from './row-window.ts';
import type { RowsJob, SoughtSource } from './rows-job.ts';

/** How the rows of one part come: from its Arrow file or from its Parquet files. */
export interface PartReaders<Item> {
  /** From the seek point on, if there is one; the window has passed over what is before it. */
  arrow(path: string, window: RowWindow, seek: SeekPoint | null): AsyncGenerator<Item, void, void>;
  parquet(paths: readonly string[], window: RowWindow): AsyncGenerator<Item, void, void>;
}

/** Goes through the parts that hold the rows wanted. Fewer rows than the version has is a fault of the store, never a short answer. */
export async function* readParts<Item>(
  job: RowsJob,
  readers: PartReaders<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item, void, void> {
  const window = new RowWindow(job.offset, job.rowCount);
  for (const source of job.sources) {
    if (window.remaining === 0) return;
    if (source.rows <= window.skip) {
      window.take(source.rows);
      continue;
    }
    for await (const item of readPart(source, readers, window)) {
      signal.throwIfAborted();
      yield item;
    }
  }
  if (window.remaining > 0) throw new Error(`the parts hold ${window.remaining} rows less than the version`);
}

function readPart<Item>(
  source: SoughtSource,
  readers: PartReaders<Item>,
  window: RowWindow,
): AsyncGenerator<Item, void, void> {
  const { kind, paths, seek = null } = source;
  if (kind === 'parquet') return readers.parquet(paths, window);
  const [path] = paths;
  if (path === undefined) throw new Error('a part without any file');
  if (seek !== null) window.take(seek.rows);
  return readers.arrow(path, window, seek);
}
