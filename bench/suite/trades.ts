import { openAsBlob } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import type { PythonWorker } from './python-worker.ts';

export type FileFormat = 'csv' | 'ndjson' | 'parquet';

const mediaTypes: Readonly<Record<FileFormat, string>> = {
  csv: 'text/csv',
  ndjson: 'application/x-ndjson',
  parquet: 'application/vnd.apache.parquet',
};

/** At scale 1: 122 MB as CSV, 194 MB as NDJSON. */
export const tradesRows = 2_000_000;

/** The same rows in files: id, sym, price, qty, ts, flag. */
export class Trades implements AsyncDisposable {
  readonly folder = temporaryFolder('trades');

  static async make(worker: PythonWorker, rows: number, formats: readonly FileFormat[]): Promise<Trades> {
    const trades = new Trades();
    await worker.do('make_trades', { folder: trades.folder, rows, formats });
    return trades;
  }

  path(format: FileFormat): string {
    return join(this.folder, `trades.${format}`);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    removeFolder(this.folder);
  }
}

/** Puts a file under a name, and replaces what was there. Answers its number of rows. */
export async function putFile(
  url: string,
  name: string,
  path: string,
  format: FileFormat | 'arrow',
): Promise<number> {
  const type = format === 'arrow' ? 'application/vnd.apache.arrow.stream' : mediaTypes[format];
  const answer = await fetch(`${url}/v1/frames/${name}`, {
    method: 'PUT',
    headers: { 'content-type': type },
    body: await openAsBlob(path),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${name}: ${answer.status} ${text}`);
  return (JSON.parse(text) as { rows: number }).rows;
}
