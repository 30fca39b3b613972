import { join } from 'node:path';
import { removeFolder, temporaryFolder } from '../../../server/test/support/temporary-folder.ts';
import { startBuilt, transcodedFiles } from '../../sql/sql-client.ts';
import { PythonWorker } from '../python-worker.ts';
import { putFile } from '../trades.ts';
import { frameSides, frameWorkloads } from './frame-sides.ts';
import type { GrowthAxis, OpenAxis } from './growth-axis.ts';

export const columns: GrowthAxis = {
  name: 'columns',
  label: 'columns of a frame of 1,000 rows',
  range: [1, 1e4],
  stepsPerDecade: 1,
  workloads: frameWorkloads({ statement: 'Sum of one column', page: '10 rows with all columns' }),
  open,
};

const rows = 1_000;
const columnsPerSample = 1_000;
const repeatsMax = 10;

async function open(): Promise<OpenAxis> {
  await using opened = new AsyncDisposableStack();
  const folder = opened.adopt(temporaryFolder('columns'), removeFolder);
  const worker = opened.use(await PythonWorker.start());
  // Small responses would be kept, and repeating them would measure nothing.
  const framehold = opened.adopt(await startBuilt({ FRAMEHOLD_CACHE_RENDERED_BYTES_MAX: '0' }), (each) =>
    each.remove(),
  );
  const putServer = opened.adopt(await startBuilt({ FRAMEHOLD_TRANSCODE_THREADS: '0' }), (each) =>
    each.remove(),
  );
  const at = async (count: number) => {
    const source = join(folder, 'wide.parquet');
    await worker.do('make_wide', { path: source, rows, columns: count });
    const name = `columns_${count}`;
    await putFile(framehold.url, name, source, 'parquet');
    await worker.do('open_view', { name, files: await transcodedFiles(framehold, name) });
    const repeats = Math.min(repeatsMax, Math.max(2, Math.round(columnsPerSample / count)));
    const sides = frameSides({ framehold, putServer, worker, name, repeats });
    return {
      put: sides.put(source, join(folder, 'decoded.arrow')),
      sql: sides.statement(`SELECT sum(c0) FROM ${name} WHERE {n} >= 0`),
      page: sides.read(
        `/v1/frames/${name}/rows?fmt=arrow&offset=500&limit=10`,
        `SELECT * FROM ${name} LIMIT 10 OFFSET 500`,
      ),
      export: sides.exportCsv(join(folder, 'copied.csv')),
    };
  };
  const closing = opened.move();
  return { at, [Symbol.asyncDispose]: () => closing.disposeAsync() };
}
