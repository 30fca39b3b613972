import { join } from 'node:path';
import { startBuilt, transcodedFiles } from '../../sql/sql-client.ts';
import { PythonWorker } from '../python-worker.ts';
import { putFile, Trades } from '../trades.ts';
import { frameSides, frameWorkloads } from './frame-sides.ts';
import type { GrowthAxis, OpenAxis } from './growth-axis.ts';

export const rows: GrowthAxis = {
  name: 'rows',
  label: 'rows of the frame',
  range: [1e3, 1e8],
  stepsPerDecade: 1,
  workloads: frameWorkloads({ statement: 'GROUP BY over all rows', page: '1,000 rows out of the middle' }),
  open,
};

/** Small operations are repeated: the kernel counts CPU time in hundredths of a second. */
const rowsPerSample = 200_000;
const repeatsMax = 10;
const pageRows = 1_000;

async function open(): Promise<OpenAxis> {
  await using opened = new AsyncDisposableStack();
  const worker = opened.use(await PythonWorker.start());
  // Small responses would be kept, and repeating them would measure nothing.
  const framehold = opened.adopt(await startBuilt({ FRAMEHOLD_CACHE_RENDERED_BYTES_MAX: '0' }), (each) =>
    each.remove(),
  );
  const putServer = opened.adopt(await startBuilt({ FRAMEHOLD_TRANSCODE_THREADS: '0' }), (each) =>
    each.remove(),
  );
  let trades: Trades | null = null;
  opened.defer(async () => await trades?.[Symbol.asyncDispose]());
  const at = async (count: number) => {
    await trades?.[Symbol.asyncDispose]();
    trades = await Trades.make(worker, count, ['parquet']);
    const { folder } = trades;
    const source = trades.path('parquet');
    const name = `rows_${count}`;
    await putFile(framehold.url, name, source, 'parquet');
    await worker.do('open_view', { name, files: await transcodedFiles(framehold, name) });
    const repeats = Math.min(repeatsMax, Math.max(1, Math.round(rowsPerSample / count)));
    const sides = frameSides({ framehold, putServer, worker, name, repeats });
    const offset = Math.floor((count - pageRows) / 2);
    return {
      put: sides.put(source, join(folder, 'decoded.arrow')),
      sql: sides.statement(`SELECT sym, sum(qty), count(*) FROM ${name} WHERE {n} >= 0 GROUP BY 1`),
      page: sides.read(
        `/v1/frames/${name}/rows?fmt=arrow&offset=${offset}&limit=${pageRows}`,
        `SELECT * FROM ${name} LIMIT ${pageRows} OFFSET ${offset}`,
      ),
      export: sides.exportCsv(join(folder, 'copied.csv')),
    };
  };
  const closing = opened.move();
  return { at, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
