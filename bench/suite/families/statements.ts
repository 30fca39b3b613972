import { join } from 'node:path';
import { startBuilt, transcodedFiles } from '../../sql/sql-client.ts';
import { warmUpSql } from '../ask-sql.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Sample, Size } from '../benchmark-case.ts';
import { measureLoad } from '../measure-load.ts';
import { PythonWorker, together } from '../python-worker.ts';
import { putFile, Trades, tradesRows } from '../trades.ts';

const common = { quantity: 'rate', unit: 'statements/s' } as const;

const selectOne: BenchmarkCase = {
  ...common,
  name: 'sql-select-1',
  title: '/v1/sql, select 1, 8 connections',
  peer: 'DuckDB in Python, one process',
  targets: [
    { of: 'value', atLeast: 800 },
    { of: 'p99Ms', atMost: 20 },
  ],
  inShare: true,
};
const groupBy: BenchmarkCase = {
  ...common,
  name: 'sql-group-by',
  title: '/v1/sql, small GROUP BY, 8 connections',
  peer: 'DuckDB in Python, two processes',
  targets: [{ of: 'ratio', atLeast: 0.5 }],
};
const kept: BenchmarkCase = {
  ...common,
  name: 'sql-kept',
  title: 'the same statement again, 8 connections',
  peer: 'Framehold, another literal each time',
  targets: [{ of: 'ratio', atLeast: 5 }],
};

/** Many small statements. `{n}` is another number each time, so that no answer is one that was kept. */
export const statements: CaseFamily = { name: 'sql', cases: [selectOne, groupBy, kept], open };

const oneSql = 'select {n}';
const groupBySql = 'select sym, sum(qty) from trades where id < 1000 and {n} > 0 group by 1';
const keptSql = 'select sym, sum(qty) from trades where id < 1000 group by 1';
const script = join(import.meta.dirname, '..', '..', 'load', 'statements.lua');
/** More than a round can have, so that no number comes twice. */
const numbersPerRound = 1_000_000;

async function open({ scale, loadSeconds: seconds }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  const workers = [opened.use(await PythonWorker.start()), opened.use(await PythonWorker.start())] as const;
  const trades = opened.use(await Trades.make(workers[0], Math.round(tradesRows * scale), ['parquet']));
  const framehold = opened.adopt(await startBuilt({}), (each) => each.remove());
  await putFile(framehold.url, 'trades', trades.path('parquet'), 'parquet');
  const files = await transcodedFiles(framehold);
  for (const worker of workers) await worker.do('open_view', { name: 'trades', files });

  await warmUpSql(framehold.url, groupBySql);

  let numbers = 1;
  const ours = (sql: string): Promise<Sample> => {
    numbers += numbersPerRound;
    const options = { seconds, script: { file: script, args: [sql, String(numbers)] } };
    return measureLoad(framehold.pid, framehold.url, options);
  };
  const theirs = async (count: number, sql: string): Promise<Sample> => {
    numbers += numbersPerRound;
    const request = { sql, seconds, start: numbers };
    return together(
      await Promise.all(workers.slice(0, count).map((worker) => worker.do('statements', request))),
    );
  };
  const closing = opened.move();
  return {
    sides: {
      [selectOne.name]: { framehold: () => ours(oneSql), peer: () => theirs(1, oneSql) },
      [groupBy.name]: { framehold: () => ours(groupBySql), peer: () => theirs(2, groupBySql) },
      [kept.name]: { framehold: () => ours(keptSql), peer: () => ours(groupBySql) },
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}
