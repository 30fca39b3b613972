import { join } from 'node:path';
import { builtCommand, Framehold } from '../../../server/test/support/framehold-process.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Sides, Size } from '../benchmark-case.ts';
import { drain } from '../drain.ts';
import { measureTree } from '../measure-tree.ts';
import { PythonWorker } from '../python-worker.ts';
import { repeatsOf } from '../repeats.ts';
import { type FileFormat, putFile, Trades, tradesRows } from '../trades.ts';

const formats = ['csv', 'ndjson', 'parquet'] as const;
const titles = { csv: 'CSV', ndjson: 'NDJSON', parquet: 'Parquet' } as const;

const cases = formats.map(
  (format): BenchmarkCase => ({
    name: `exp-${format}`,
    title: `/exp as ${titles[format]}, 2M rows`,
    quantity: 'cpu',
    unit: 'CPU s/million rows',
    peer: 'DuckDB COPY',
    targets: [{ of: 'ratio', atMost: 1.5 }],
    inShare: format === 'csv',
  }),
);

/** All rows of a frame over HTTP, and a table of the same rows in memory written to a file by DuckDB. */
export const exp: CaseFamily = { name: 'exp', cases, open };

async function open({ scale }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  const worker = opened.use(await PythonWorker.start());
  const rows = Math.round(tradesRows * scale);
  const trades = opened.use(await Trades.make(worker, rows, ['parquet']));
  const framehold = opened.adopt(
    // Rows are read from their Arrow form, as right after a put.
    await Framehold.start({ command: builtCommand, flags: ['--transcode-threads', '0'] }),
    (each) => each.remove(),
  );
  await putFile(framehold.url, 'trades', trades.path('parquet'), 'parquet');
  await worker.do('open_table', { name: 'trades', path: trades.path('parquet') });
  const repeats = repeatsOf(scale, 0.3);
  const sides = (format: FileFormat): Sides => ({
    framehold: () =>
      measureTree(framehold.pid, async () => {
        for (let done = 0; done < repeats; done++)
          await drain(`${framehold.url}/exp?handle=trades&fmt=${format}`);
        return { work: (rows / 1e6) * repeats };
      }),
    peer: async () => {
      const to = join(trades.folder, `copied.${format}`);
      return { ...(await worker.do('copy', { name: 'trades', to, format })), work: rows / 1e6 };
    },
  });
  const closing = opened.move();
  return {
    sides: Object.fromEntries(formats.map((format) => [`exp-${format}`, sides(format)])),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
