/** Real readers of Parquet fetch only what they need of a large frame. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type CountingProxy, startCountingProxy } from '../../server/test/support/counting-proxy.ts';
import { send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { fileReadersPython, runPython } from '../../server/test/support/python.ts';

interface Digest {
  readonly rows: number;
  readonly sums: Readonly<Record<string, string>>;
}

interface Metadata {
  readonly groups: number;
  readonly pages: number;
  readonly statistics: boolean;
  readonly indexes: boolean;
}

const folder = join(import.meta.dirname, '..', 'python');
/** 25 MB each: 300 MB, and 3 GB in the long run. */
const parts = inLongRun(120, 12);
const rows = 400_000;
const columns = ['v1', 'v4'];
const pinned = `large@${parts}.parquet`;
/** Of the columns' pages. The rest is the footer and heads of answers. */
const ratioMax = 1.2;

let framehold: Framehold;
let proxy: CountingProxy;
let put: Digest;
before(async () => {
  framehold = await Framehold.start();
  const request = { url: framehold.url, name: 'large', parts, rows };
  put = (await runPython([join(folder, 'put_large.py')], request)) as Digest;
  proxy = await startCountingProxy(framehold.url);
});
after(async () => {
  await proxy?.close();
  await framehold.remove();
});

async function readWith<Answer>(tool: string, url: string): Promise<Answer> {
  const request = { tool, url, columns, below: rows };
  const script = join(folder, 'read_file.py');
  return (await runPython([script], request, undefined, fileReadersPython)) as Answer;
}

/** Waits for a file that is being made, as a client does that is asked to come back. */
async function readyFile(file: string): Promise<void> {
  await framehold.until('a file', async () => {
    const { status, headers } = await fetch(`${framehold.url}/v1/files/${file}`, { method: 'HEAD' });
    assert.ok(status === 200 || status === 503, String(status));
    if (status === 503) assert.ok(Number(headers.get('retry-after')) > 0);
    return status === 200 ? true : null;
  });
}

test('polars, DuckDB and pyarrow fetch two columns, and skip what a filter excludes', async (context) => {
  await readyFile(pinned);
  const url = `${proxy.url}/v1/files/${pinned}`;
  const { groups, pages, statistics, indexes } = await readWith<Metadata>('metadata', url);
  assert.ok(groups >= parts && statistics && indexes);
  proxy.take();
  const expected = Object.fromEntries(columns.map((name) => [name, put.sums[name]]));
  for (const tool of ['polars', 'duckdb', 'pyarrow']) {
    const { rows: count, sums } = await readWith<Digest>(tool, url);
    const { bytes } = proxy.take();
    context.diagnostic(`${tool}: ${bytes} bytes, ${(bytes / pages).toFixed(3)} of the pages`);
    assert.equal(count, put.rows);
    assert.deepEqual(sums, expected, tool);
    assert.ok(bytes < ratioMax * pages, `${tool} fetched ${bytes} bytes for ${pages} of pages`);
  }
  for (const tool of ['polars-filter', 'duckdb-filter']) {
    assert.equal((await readWith<Digest>(tool, url)).rows, rows);
    const { bytes } = proxy.take();
    assert.ok(bytes < (ratioMax * 2 * pages) / parts, `${tool} fetched ${bytes} bytes of ${pages}`);
  }
});

test('pandas reads all of it through a link', async () => {
  const { json } = await send(framehold.url, `/v1/frames/large@${parts}/links`, '', { method: 'POST' });
  const url = String(json.fileUrl).replace(framehold.url, proxy.url);
  assert.deepEqual(await readWith<Digest>('pandas', url), { rows: put.rows, sums: put.sums });
});
