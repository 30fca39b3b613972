import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { query, RawClient, startup } from '../../../server/test/pgwire/raw-client.ts';
import { builtCommand, Framehold } from '../../../server/test/support/framehold-process.ts';
import { transcodedFiles } from '../../sql/sql-client.ts';
import { askSql } from '../ask-sql.ts';
import type { BenchmarkCase, CaseFamily, OpenFamily, Sample, Size } from '../benchmark-case.ts';
import { measureTree } from '../measure-tree.ts';
import { PythonWorker } from '../python-worker.ts';

const selectOne: BenchmarkCase = {
  name: 'postgres-select-1',
  title: 'PostgreSQL, prepared select $1, 8 connections',
  quantity: 'rate',
  unit: 'statements/s',
  peer: '/v1/sql, the same statement and parameters',
  targets: [{ of: 'ratio', atLeast: 1 }],
};
const copied = {
  title: '10M rows by binary COPY',
  quantity: 'cpu',
  unit: 'CPU s',
  targets: [{ of: 'ratio', atMost: 2 }],
} as const;
const copyBesideGet: BenchmarkCase = { ...copied, name: 'postgres-copy-get', peer: 'DoGet of the frame' };
const copyBesideSql: BenchmarkCase = {
  ...copied,
  name: 'postgres-copy-sql',
  peer: 'Flight SQL, the same statement',
};

/** Clients of PostgreSQL beside clients of the other listeners, on the same server. */
export const postgres: CaseFamily = {
  name: 'postgres',
  cases: [selectOne, copyBesideGet, copyBesideSql],
  open,
};

const rowsAtFullScale = 10_000_000;
const frame = 'copied';
/** More than a round can have, so that no number comes twice. */
const numbersPerRound = 1_000_000;
const client = join(import.meta.dirname, '..', '..', 'pgwire', 'small-statements.ts');

async function open({ scale, loadSeconds }: Size): Promise<OpenFamily> {
  await using opened = new AsyncDisposableStack();
  const flags = ['--postgres-bind-address', '127.0.0.1:0'];
  const env = { FRAMEHOLD_SQL_THREADS: '2' };
  const framehold = opened.adopt(await Framehold.start({ command: builtCommand, flags, env }), (each) =>
    each.remove(),
  );
  const python = opened.use(await PythonWorker.start());
  const rows = Math.round(rowsAtFullScale * scale);
  await askSql(
    framehold.url,
    `create table ${frame} as select i::bigint as id, i * 0.5::double as value, 'row ' || i as text,
     timestamp '2024-01-01' + to_microseconds(i * 1000) as at from range(${rows}) t(i)`,
  );
  await transcodedFiles(framehold);

  let numbers = 1;
  const small = (way: 'http' | 'postgres', url: string): Promise<Sample> =>
    measureTree(framehold.pid, async () => {
      numbers += numbersPerRound;
      const words = [client, way, url, String(loadSeconds), String(numbers)];
      const { stdout } = await promisify(execFile)(process.execPath, words);
      return JSON.parse(stdout);
    });
  // Another literal each time: no answer is one that was kept.
  const text = () => `select * from ${frame} where ${numbers++} > 0`;
  const copy = (): Promise<Sample> =>
    measureTree(framehold.pid, async () => {
      await copyOut(Number(framehold.postgresUrl.port), text());
      return { work: 1 };
    });
  const get = (): Promise<Sample> =>
    measureTree(framehold.pid, async () => {
      await python.do('flight', { mode: 'get', arguments: [framehold.grpcUrl, frame] });
      return { work: 1 };
    });
  const flightSql = (): Promise<Sample> =>
    measureTree(framehold.pid, async () => {
      const answer = await python.do('fetch_adbc', { url: framehold.grpcUrl, sql: text() });
      if (answer.rows !== rows) throw new Error(`${answer.rows} rows, not ${rows}`);
      return { work: 1 };
    });
  const closing = opened.move();
  return {
    sides: {
      [selectOne.name]: {
        framehold: () => small('postgres', String(framehold.postgresUrl)),
        peer: () => small('http', framehold.url),
      },
      [copyBesideGet.name]: { framehold: copy, peer: get },
      [copyBesideSql.name]: { framehold: copy, peer: flightSql },
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  };
}

/** Reads the answer of a COPY to its end and keeps nothing of it. */
async function copyOut(port: number, sql: string): Promise<void> {
  using session = new RawClient(port);
  session.send(startup());
  await session.answers();
  session.socket.removeAllListeners('data');
  session.send(query(`copy (${sql}) to stdout (format binary)`));
  const ready = Buffer.from('Z\0\0\0\x05I');
  let tail = Buffer.alloc(0);
  for await (const chunk of session.socket) {
    tail = Buffer.concat([tail, (chunk as Buffer).subarray(-ready.length)]).subarray(-ready.length);
    if (tail.equals(ready)) return;
  }
  throw new Error('the server has closed the connection');
}
