import { startBuilt, transcodedFiles } from '../../sql/sql-client.ts';
import { askSql, warmUpSql } from '../ask-sql.ts';
import { measureTree } from '../measure-tree.ts';
import { PythonWorker } from '../python-worker.ts';
import { putFile, Trades } from '../trades.ts';
import type { GrowthAxis, OpenAxis } from './growth-axis.ts';

export const statementsAtOnce: GrowthAxis = {
  name: 'statements',
  label: 'concurrent statements',
  range: [1, 100],
  stepsPerDecade: 2,
  workloads: [
    {
      name: 'group-by',
      title: 'GROUP BY over 200,000 rows',
      peer: 'DuckDB in Python, a thread each',
      unit: 'statement',
      quantities: ['time', 'cpu', 'memory'],
    },
  ],
  open,
};

const rows = 200_000;
/** As many on both sides, and all are waited for: statements that a client leaves behind would burden the next round. */
const statementsMin = 200;
const sql = 'select sym, sum(qty) from trades where {n} > 0 group by 1';
async function open(): Promise<OpenAxis> {
  await using opened = new AsyncDisposableStack();
  const worker = opened.use(await PythonWorker.start());
  const trades = opened.use(await Trades.make(worker, rows, ['parquet']));
  const framehold = opened.adopt(await startBuilt({}), (each) => each.remove());
  await putFile(framehold.url, 'trades', trades.path('parquet'), 'parquet');
  await worker.do('open_view', { name: 'trades', files: await transcodedFiles(framehold) });
  await warmUpSql(framehold.url, sql);
  let numbers = 1;
  const closing = opened.move();
  return {
    at: async (callers) => {
      const count = Math.max(statementsMin, callers);
      return {
        'group-by': {
          framehold: () => {
            const first = numbers;
            numbers += count;
            return measureTree(framehold.pid, () => askAtOnce(framehold.url, callers, first, numbers));
          },
          peer: () => worker.do('statements_at_once', { sql, callers, count }),
        },
      };
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** A statement for each number from `first` to before `end`, which is another one each time, so that no answer can be kept. */
async function askAtOnce(url: string, callers: number, first: number, end: number) {
  let next = first;
  const ask = async () => {
    while (next < end) await askSql(url, sql.replaceAll('{n}', String(next++)));
  };
  await Promise.all(Array.from({ length: callers }, ask));
  return { work: end - first };
}
