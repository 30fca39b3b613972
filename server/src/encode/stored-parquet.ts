import { fillRowGroups } from '../model/part-forms.ts';
import { planJoin } from '../parquet/join-parquet.ts';
import { schemaOf } from './rows/arrow-steps.ts';
import type { RowsJob } from './rows/rows-job.ts';

/** The stored row groups of a whole version as one Parquet file; null if they are not what is wanted, or not all there is. */
export async function storedParquet(job: RowsJob): Promise<AsyncIterable<Uint8Array<ArrayBuffer>> | null> {
  const { sources, columns, offset, rowCount } = job;
  if (columns !== null || offset !== 0 || sources.length === 0) return null;
  if (!sources.every(({ kind }) => kind === 'parquet')) return null;
  if (rowCount !== sources.reduce((rows, source) => rows + source.rows, 0)) return null;
  const paths = sources.flatMap((source) => source.paths);
  if (!fillRowGroups(sources.length, paths.length)) return null;
  const join = await planJoin(paths, schemaOf(job.schemaMessage), rowCount);
  return join?.bytes() ?? null;
}
