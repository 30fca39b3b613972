import { statSync } from 'node:fs';
import { join } from 'node:path';
import { builtCommand, Framehold } from '../../../server/test/support/framehold-process.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Sample, Sides, Size } from '../benchmark-case.ts';
import { measureTree } from '../measure-tree.ts';
import { PythonWorker, type WorkerAnswer } from '../python-worker.ts';
import { type FileFormat, putFile, Trades, tradesRows } from '../trades.ts';

const common = { quantity: 'cpu', unit: 'CPU s/GB' } as const;

const csv: BenchmarkCase = {
  ...common,
  name: 'put-csv',
  title: 'put of CSV, 2M rows',
  peer: 'DuckDB read_csv',
  targets: [{ of: 'ratio', atMost: 3 }],
  inShare: true,
};
const ndjson: BenchmarkCase = {
  ...common,
  name: 'put-ndjson',
  title: 'put of NDJSON, 2M rows',
  peer: 'DuckDB read_json',
  targets: [{ of: 'ratio', atMost: 3 }],
};
const parquet: BenchmarkCase = {
  ...common,
  name: 'put-parquet',
  title: 'put of Parquet, 2M rows',
  peer: 'pyarrow, to an Arrow file',
  targets: [{ of: 'ratio', atMost: 2.5 }],
};

/** Files put over HTTP: decoded, checked, hashed, durable. The peers read the same file into memory, or write it as Arrow. */
export const put: CaseFamily = { name: 'put', cases: [csv, ndjson, parquet], open };

async function open({ scale }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  const worker = opened.use(await PythonWorker.start());
  const rows = Math.round(tradesRows * scale);
  const trades = opened.use(await Trades.make(worker, rows, ['csv', 'ndjson', 'parquet']));
  const framehold = opened.adopt(
    // Transcoding would compete for the same processors in its own time; it is a case of its own.
    await Framehold.start({ command: builtCommand, flags: ['--transcode-threads', '0'] }),
    (each) => each.remove(),
  );
  const gigabytes = (format: FileFormat) => statSync(trades.path(format)).size / 1e9;
  const assertRows = (who: string, got: number | undefined) => {
    if (got !== rows) throw new Error(`${who}: ${got} rows, not ${rows}`);
  };
  const sides = (format: FileFormat, theirs: () => Promise<WorkerAnswer>): Sides => ({
    framehold: () =>
      measureTree(framehold.pid, async () => {
        assertRows(
          'Framehold',
          await putFile(framehold.url, `trades-${format}`, trades.path(format), format),
        );
        return { work: gigabytes(format) };
      }),
    peer: async (): Promise<Sample> => {
      const answer = await theirs();
      assertRows('the peer', answer.rows);
      return { ...answer, work: gigabytes(format) };
    },
  });
  const closing = opened.move();
  return {
    sides: {
      [csv.name]: sides('csv', () => worker.do('read_csv', { path: trades.path('csv') })),
      [ndjson.name]: sides('ndjson', () => worker.do('read_json', { path: trades.path('ndjson') })),
      [parquet.name]: sides('parquet', () =>
        worker.do('read_parquet', {
          path: trades.path('parquet'),
          to: join(trades.folder, 'decoded.arrow'),
        }),
      ),
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
