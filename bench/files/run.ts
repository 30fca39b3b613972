/**
 * Two columns of eight of a large frame of many parts, read by its URL: how many bytes the readers fetch, compared with the pages of these columns.
 *   npm run bench:files -- [--bytes 10GB]
 * Sizes are those of the Arrow streams that are put, in parts of 25 MB.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startCountingProxy } from '../../server/test/support/counting-proxy.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { fileReadersPython, runPython } from '../../server/test/support/python.ts';

interface Digest {
  readonly rows: number;
  readonly bytes: number;
  readonly sums: Readonly<Record<string, string>>;
}

interface Metadata {
  readonly groups: number;
  readonly footer: number;
  readonly pages: number;
}

/** Of the pages. */
const target = 1.2;
const rows = 400_000;
const partBytes = rows * 8 * 8;
const columns = ['v1', 'v4'];
const timeoutMs = 3_600_000;
const folder = join(import.meta.dirname, '..', '..', 'e2e', 'python');

const { values } = parseArgs({ options: { bytes: { type: 'string', default: '10GB' } } });
const parts = Math.max(1, Math.round(bytesOf(values.bytes) / partBytes));

let met = true;
const framehold = await Framehold.start();
const proxy = await startCountingProxy(framehold.url);
try {
  const put = await timed(() =>
    python<Digest>('put_large.py', { url: framehold.url, name: 'large', parts, rows }),
  );
  console.log(`put: ${gigabytes(put.value.bytes)} GB in ${parts} parts, ${put.seconds} s`);
  const file = `/v1/files/large@${parts}.parquet`;
  const made = await timed(() => readyFile(framehold.url + file));
  console.log(`file: ${gigabytes(made.value)} GB, ready after ${made.seconds} s`);
  const url = proxy.url + file;
  const described = await read<Metadata>('metadata', url);
  const { groups, footer, pages } = described.value;
  console.log(
    `${groups} row groups, footer ${footer} bytes, pages of ${columns.join(' and ')} ${pages} bytes`,
  );
  proxy.take();
  console.log('\n| reader | bytes | of the pages | requests | seconds | values |\n|---|---|---|---|---|---|');
  for (const tool of ['polars', 'duckdb', 'pyarrow']) {
    const before = await requests();
    const { value, seconds } = await read<Digest>(tool, url);
    const { bytes } = proxy.take();
    const sent = (await requests()) - before;
    const isEqual = columns.every((name) => value.sums[name] === put.value.sums[name]);
    met &&= isEqual && bytes < target * pages;
    const cells = [tool, bytes, (bytes / pages).toFixed(3), sent, seconds, isEqual ? 'equal' : 'DIFFERENT'];
    console.log(`| ${cells.join(' | ')} |`);
  }
} finally {
  await proxy.close();
  await framehold.remove();
}
process.exitCode = met ? 0 : 1;

function python<Answer>(script: string, request: unknown, command?: string): Promise<Answer> {
  return runPython([join(folder, script)], request, timeoutMs, command) as Promise<Answer>;
}

function read<Answer>(
  tool: string,
  url: string,
): Promise<{ readonly value: Answer; readonly seconds: string }> {
  return timed(() => python<Answer>('read_file.py', { tool, url, columns }, fileReadersPython));
}

/** Answers its size, once it is ready. */
function readyFile(url: string): Promise<number> {
  return framehold.until(
    'a file',
    async () => {
      const { status, headers } = await fetch(url, { method: 'HEAD' });
      return status === 200 ? Number(headers.get('content-length')) : null;
    },
    timeoutMs,
  );
}

/** Requests for files so far. */
async function requests(): Promise<number> {
  const text = await (await fetch(`${framehold.url}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith('framehold_http_requests_total{'));
  const ofFiles = lines.filter((line) => line.includes('/v1/files/'));
  return ofFiles.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

async function timed<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly seconds: string }> {
  const startedAt = performance.now();
  const value = await work();
  return { value, seconds: ((performance.now() - startedAt) / 1_000).toFixed(1) };
}

function bytesOf(text: string): number {
  const [, number, unit = ''] = /^([\d.]+) ?([MG]B)?$/.exec(text) ?? [];
  if (number === undefined) throw new Error(`--bytes ${text}: a number, with MB or GB`);
  return Number(number) * ({ MB: 1e6, GB: 1e9 }[unit] ?? 1);
}

function gigabytes(bytes: number): string {
  return (bytes / 1e9).toFixed(2);
}
