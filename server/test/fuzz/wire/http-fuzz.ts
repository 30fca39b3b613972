import { putFrame } from '../../support/frame-client.ts';
import { Framehold } from '../../support/framehold-process.ts';
import { arrowBytes } from '../../support/python.ts';
import { type HttpCorpus, makeHttpCase } from './http-cases.ts';
import { exchangeHttp } from './http-exchange.ts';
import { SeededRandom } from './wire-random.ts';
import { type FuzzOptions, type FuzzReport, runCases, watchedFrame } from './wire-run.ts';

/** Bytes on raw sockets against a real server. */
export async function fuzzHttp(options: FuzzOptions): Promise<FuzzReport> {
  const server = await Framehold.start({ env: { FRAMEHOLD_LOG_LEVEL: 'warn' } });
  try {
    const corpus = await makeCorpus(server);
    const port = Number(new URL(server.url).port);
    return await runCases(server, options, async (index) => {
      const sent = makeHttpCase(new SeededRandom(options.seed, index), corpus);
      const { statuses, fault, late, text } = await exchangeHttp(port, sent);
      const kinds = statuses.length === 0 ? ['no answer'] : statuses.map(String);
      return { kinds, fault, late, shown: fault === null ? '' : shownBytes(sent.bytes, text) };
    });
  } finally {
    await server.remove();
  }
}

async function makeCorpus(server: Framehold): Promise<HttpCorpus> {
  const tables = {
    seed: `pa.table({'a': pa.array(range(50), pa.int64()), 'b': [str(n) for n in range(50)]})`,
    wide: `pa.table({'a': pa.array([1, None], pa.int8()), 'l': pa.array([[1], None]), 's': pa.array([{'x': 1}, None])})`,
    empty: `pa.table({'a': pa.array([], pa.int64())})`,
  };
  const streams = await arrowBytes(tables);
  const { seed: file } = await arrowBytes({ seed: tables.seed }, 'file');
  const { wide: parquet } = await arrowBytes({ wide: tables.wide }, 'parquet');
  await putFrame(server.url, 'seed', streams.seed);
  await putFrame(server.url, 'wide', streams.wide);
  await putFrame(server.url, watchedFrame, streams.seed);
  const targets = [
    '/v1/frames/f0',
    '/v1/frames/f1',
    '/v1/frames/f2?ttl=1h',
    '/v1/frames/f3/rows',
    '/v1/frames/f4',
  ];
  const uploads = [
    { targets, type: 'application/vnd.apache.arrow.stream', body: streams.seed },
    { targets, type: 'application/vnd.apache.arrow.stream', body: streams.wide },
    { targets, type: 'application/vnd.apache.arrow.file', body: file },
    { targets, type: 'application/vnd.apache.parquet', body: parquet },
    { targets, type: 'text/csv', body: Buffer.from('a,b\n1,2\n') },
    { targets, type: 'application/x-ndjson', body: Buffer.from('{"a":1}\n') },
    { targets: ['/v1/sql'], type: 'application/json', body: Buffer.from('{"sql":"select 1 as a"}') },
    { targets: ['/v1/sql?fmt=csv'], type: 'application/sql', body: Buffer.from('select * from seed') },
  ];
  return { bodies: [streams.seed, streams.wide, streams.empty, file, parquet], uploads };
}

function shownBytes(sent: Buffer, answer: string): string {
  return `sent ${JSON.stringify(sent.toString('latin1').slice(0, 1_500))}\n  came ${JSON.stringify(answer.slice(0, 800))}`;
}
