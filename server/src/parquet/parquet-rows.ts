import { open } from 'node:fs/promises';
import { readFooter } from './parquet-layout.ts';
import { thriftInt } from './thrift-compact.ts';

/** In parquet.thrift. */
const rowsField = 3;

/** How many rows a Parquet file has, according to its footer; the library is not needed for it. */
export async function parquetRows(path: string): Promise<number> {
  await using file = await open(path);
  const { footer } = await readFooter(file);
  const rows = thriftInt(footer, rowsField);
  if (rows === null || rows < 0) throw new Error('a Parquet footer without a number of rows');
  return rows;
}
