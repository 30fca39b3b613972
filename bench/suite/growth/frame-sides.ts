import type { Framehold } from '../../../server/test/support/framehold-process.ts';
import { askSql } from '../ask-sql.ts';
import type { Sample, Sides } from '../benchmark-case.ts';
import { drain } from '../drain.ts';
import { measureTree } from '../measure-tree.ts';
import { type PythonWorker, together } from '../python-worker.ts';
import { putFile } from '../trades.ts';
import type { GrowthWorkload } from './growth-axis.ts';

export interface MeasuredFrame {
  readonly framehold: Framehold;
  /** Does not transcode what is put: that would compete for the same processors in its own time. */
  readonly putServer: Framehold;
  /** Has a view of the frame's files under the same name. */
  readonly worker: PythonWorker;
  readonly name: string;
  /** Of one sample. */
  readonly repeats: number;
}

/** The workloads that `frameSides` measures, as plots call them. */
export function frameWorkloads(titles: {
  readonly statement: string;
  readonly page: string;
}): readonly GrowthWorkload[] {
  const duckdb = 'DuckDB in Python';
  return [
    {
      name: 'put',
      title: 'Put of Parquet',
      peer: 'pyarrow, to an Arrow file',
      unit: 'put',
      quantities: ['cpu', 'memory'],
    },
    { name: 'sql', title: titles.statement, peer: duckdb, unit: 'statement', quantities: ['cpu', 'memory'] },
    { name: 'page', title: titles.page, peer: duckdb, unit: 'page', quantities: ['cpu'] },
    {
      name: 'export',
      title: 'All rows as CSV',
      peer: 'DuckDB COPY',
      unit: 'export',
      quantities: ['cpu', 'memory'],
    },
  ];
}

/** A page takes a few milliseconds: less than the kernel's clock shows. */
const readsPerRepeat = 8;

/** What is done to a frame, and to the same rows by a library. */
export function frameSides({ framehold, putServer, worker, name, repeats }: MeasuredFrame) {
  // No two statements have the same number: an answer that was kept would measure nothing.
  let number = 0;
  const ours = (work: () => Promise<unknown>, server = framehold, count = repeats): Promise<Sample> =>
    measureTree(server.pid, async () => {
      for (let done = 0; done < count; done++) await work();
      return { work: count };
    });
  const theirs = async (work: () => Promise<Sample>): Promise<Sample> => {
    const samples: Sample[] = [];
    for (let done = 0; done < repeats; done++) samples.push(await work());
    return inSequence(samples);
  };
  const query = (sql: string) => sql.replaceAll('{n}', String(number++));
  return {
    put: (source: string, to: string): Sides => ({
      framehold: () => ours(() => putFile(putServer.url, name, source, 'parquet'), putServer),
      peer: () => theirs(() => worker.do('read_parquet', { path: source, to })),
    }),
    statement: (sql: string): Sides => ({
      framehold: () => ours(() => askSql(framehold.url, query(sql))),
      peer: () => theirs(() => worker.do('total', { sqls: [query(sql)] })),
    }),
    read: (path: string, sql: string): Sides => ({
      framehold: () => ours(() => drain(framehold.url + path), framehold, repeats * readsPerRepeat),
      peer: () => theirs(() => worker.do('total', { sqls: [sql] })),
    }),
    exportCsv: (to: string): Sides => ({
      framehold: () => ours(() => drain(`${framehold.url}/exp?handle=${name}&fmt=csv`)),
      peer: () => theirs(() => worker.do('copy', { name, to, format: 'csv' })),
    }),
  };
}

/** One after another: times are added as well. */
function inSequence(samples: readonly Sample[]): Sample {
  const seconds = samples.reduce((sum, each) => sum + each.seconds, 0);
  const peakMegabytes = Math.max(...samples.map((each) => each.peakMegabytes));
  return { ...together(samples), work: samples.length, seconds, peakMegabytes };
}
