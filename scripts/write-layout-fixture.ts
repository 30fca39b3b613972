/**
 * Writes data directories as a version of the server leaves them, for the test that later versions open them:
 * `write-layout-fixture.ts <main.ts or main.js of that version> <name>` makes server/test/fixtures/<name>/*.tar.gz.
 * Run once for each layout, with the code of that time; the archives are kept for ever.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { catalogParts } from '../server/test/support/catalog-file.ts';
import { send } from '../server/test/support/frame-client.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { arrowBytes } from '../server/test/support/python.ts';
import { serverFolder } from '../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../server/test/support/temporary-folder.ts';

const tables = {
  numbers: `pa.table({'i': pa.array([1, None, 3], pa.int64()), 'f': pa.array([0.1, -0.0, None], pa.float64())})`,
  more: `pa.table({'i': pa.array([4, 5], pa.int64()), 'f': pa.array([None, float('nan')], pa.float64())})`,
  texts: `pa.table({'s': ['a', None, 'zoë'], 'd': pa.array([Decimal('1.10'), None, Decimal('-2.00')], pa.decimal128(10, 2)), 't': pa.array([0, 1, None], pa.timestamp('ns', 'UTC'))})`,
  // Parquet does not give categories back as they were: this one keeps its Arrow form.
  categories: `pa.table({'c': pa.DictionaryArray.from_arrays(pa.array([2, 0, None], pa.int8()), ['lo', 'mid', 'hi'], ordered=True)})`,
  // Parquet cannot hold a union.
  union: `pa.table({'u': pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(['x', 'y'])])})`,
  nested: `pa.table({'l': pa.array([[1, 2], None, []], pa.list_(pa.int32())), 'm': pa.array([{'a': 1, 'b': 'x'}, None, {'a': None, 'b': ''}])})`,
} as const;
const handles = [
  ...['numbers@1', 'numbers@2', 'numbers@3', 'numbers@4', 'numbers@5', 'texts@1', 'nested@1'],
  ...['categories@1', 'union@1', 'late@1', 'late@2'],
];

async function write(main: string, end: 'stopped' | 'killed', target: string): Promise<void> {
  const home = temporaryFolder('layout');
  const bytes = await arrowBytes(tables);
  const command = [process.execPath, main] as const;
  const put = (url: string, name: string, table: keyof typeof tables, query = '') =>
    send(url, `/v1/frames/${name}${query}`, bytes[table], {
      headers: { 'idempotency-key': `${name}${table}` },
    });
  const append = (url: string, name: string, table: keyof typeof tables) =>
    send(url, `/v1/frames/${name}/rows`, bytes[table], { method: 'POST', status: 200 });

  // Transcoded, and their Arrow forms evicted if Parquet is exact.
  let framehold = await Framehold.start({ home, command, flags: ['--cache-size', '0'] });
  await put(framehold.url, 'numbers', 'numbers');
  await append(framehold.url, 'numbers', 'more');
  await put(framehold.url, 'texts', 'texts');
  await transcoded(framehold);
  await framehold.stop();

  // Transcoded with both forms; not exact; a name dropped and one expired.
  framehold = await Framehold.start({ home, command });
  await append(framehold.url, 'numbers', 'more');
  await send(framehold.url, '/v1/frames/numbers', bytes.more, { status: 200 });
  await put(framehold.url, 'nested', 'nested');
  await put(framehold.url, 'categories', 'categories');
  await put(framehold.url, 'dropped', 'numbers');
  await fetch(`${framehold.url}/v1/frames/dropped`, { method: 'DELETE' });
  await put(framehold.url, 'expired', 'numbers', '?ttl=1');
  await transcoded(framehold);
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  await framehold.stop();

  // Not transcoded; one more expires without having been swept.
  framehold = await Framehold.start({
    home,
    command,
    flags: ['--transcode-threads', '0', '--jobs-sweep-interval-ms', '3600000'],
  });
  await put(framehold.url, 'union', 'union');
  await put(framehold.url, 'late', 'texts');
  await append(framehold.url, 'late', 'texts');
  await append(framehold.url, 'numbers', 'numbers');
  await put(framehold.url, 'unswept', 'numbers', '?ttl=1');
  await send(framehold.url, '/v1/frames/swept', bytes.numbers, { status: 201 });
  await fetch(`${framehold.url}/v1/frames/swept`, { method: 'DELETE' });

  const frames: Record<string, unknown> = {};
  for (const handle of handles) {
    const json = await fetch(`${framehold.url}/exec?handle=${handle}&fmt=json`);
    const arrow = await fetch(`${framehold.url}/v1/frames/${handle}/rows?fmt=arrow`);
    if (!json.ok || !arrow.ok) throw new Error(`${handle}: ${json.status} ${await json.text()}`);
    frames[handle] = {
      json: await json.text(),
      arrow: Buffer.from(await arrow.arrayBuffer()).toString('base64'),
    };
  }
  await (end === 'killed' ? framehold.kill() : framehold.stop());
  const expected = { frames, gone: ['dropped', 'expired', 'swept'], expired: ['unswept'] };
  writeFileSync(join(home, 'expected.json'), JSON.stringify(expected));
  execFileSync('tar', ['-C', home, '-czf', join(target, `${end}.tar.gz`), 'data', 'expected.json']);
  removeFolder(home);
}

async function transcoded(framehold: Framehold): Promise<void> {
  await framehold.until('every part transcoded', () => {
    const open = catalogParts(framehold.dataDirectory).some(
      ({ parquet, refusal }) => parquet === 'none' && refusal === null,
    );
    return open ? null : true;
  });
  // Eviction follows in the same run.
  await new Promise((resolve) => setTimeout(resolve, 500));
}

const [main, name] = process.argv.slice(2);
if (main === undefined || name === undefined) throw new Error('usage: write-layout-fixture.ts MAIN NAME');
const target = join(serverFolder, 'test', 'fixtures', name);
mkdirSync(target, { recursive: true });
for (const end of ['stopped', 'killed'] as const) await write(resolve(main), end, target);
