/** Forms are made smaller in the background, and readers do not notice. */
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { attemptOfKey } from '../server/src/frames/objects/part-keys.ts';
import { ask, catalogKeys, objectFiles } from '../server/test/support/catalog-file.ts';
import { flightPython } from '../server/test/support/flight-python.ts';
import { getText } from '../server/test/support/frame-client.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';

const frames = `
n = 60000
codes = pa.array([None if k % 17 == 0 else k * 7 % 200 for k in range(n)], pa.int16())
values = pa.array([f'category {k}' for k in range(200)] + ['never used'])
symbols = pa.table({'v': pa.DictionaryArray.from_arrays(codes, values, ordered=True), 'k': pa.array(range(n))})
plain = pa.table({'k': pa.array(range(n)), 'f': pa.array([None if k % 11 == 0 else k * 7919 % 10007 / 8 for k in range(n)]), 's': pa.array([f'text {k * 7919 % 4001} and {k % 13}' for k in range(n)])})
union = pa.table({'u': pa.UnionArray.from_sparse(pa.array([k % 2 for k in range(n)], pa.int8()), [pa.array(range(n)), pa.array([str(k % 9) for k in range(n)])])})
given = {'symbols': symbols, 'plain': plain, 'union': union}
`;
const put = `${frames}
for name, table in given.items():
    put(by_path(name), table)
`;
const differing = `${frames}
import io, urllib.request
result = []
for name, table in given.items():
    back = get(name)
    back.validate(full=True)
    if not (back.schema.equals(table.schema, check_metadata=True) and back.combine_chunks().equals(table.combine_chunks())):
        result.append(name)
    if name == 'symbols' and back.column('v').chunk(0).dictionary.to_pylist() != values.to_pylist():
        result.append('categories')
    body = urllib.request.urlopen(request['given'] + '/exp?fmt=arrow&handle=' + name).read()
    if not pa.ipc.open_stream(body).read_all().combine_chunks().equals(table.combine_chunks()):
        result.append(name + ' over HTTP')
    rows = json.load(urllib.request.urlopen(request['given'] + '/exec?fmt=json&limit=2&handle=' + name))
    if rows['count'] != 2:
        result.append(name + ' as JSON')
`;

async function sample(framehold: Framehold, name: string): Promise<number> {
  const { text } = await getText(`${framehold.url}/metrics`);
  const line = text.split('\n').find((each) => each.startsWith(`framehold_${name} `));
  return line === undefined ? 0 : Number(line.split(' ').at(-1));
}

function sizeOf(framehold: Framehold, folder: 'objects' | 'cold', keys: readonly string[]): number {
  return keys.reduce((sum, key) => sum + statSync(join(framehold.dataDirectory, folder, key)).size, 0);
}

test('forms get smaller, and every read gives what it gave before, also after a restart and eviction', async (context) => {
  const framehold = await Framehold.start({ env: { FRAMEHOLD_COMPRESSION_LEVEL: '19' } });
  let running = framehold;
  try {
    await flightPython(framehold.grpcUrl, put);
    await framehold.until('recompressed forms', async () => {
      const arrow = await sample(framehold, 'squeezed_parts_total{form="arrow",result="smaller"}');
      // Dictionaries and unions keep their Arrow form.
      return arrow === 2 ? true : null;
    });
    assert.ok((await sample(framehold, 'squeezed_bytes_total{form="arrow"}')) > 0);
    assert.equal(await sample(framehold, 'squeeze_failed_total{form="arrow"}'), 0);
    assert.deepEqual(await flightPython(framehold.grpcUrl, differing, framehold.url), []);

    const { live } = catalogKeys(framehold.dataDirectory);
    // A put writes its object under the id of its part; a packed one has an id of its own.
    const packed = ask<{ key: string; id: string }>(
      framehold.dataDirectory,
      "select o.key, p.part_id id from objects o join parts p on p.id = o.part where o.kind = 'arrow' order by o.key",
    ).flatMap(({ key, id }) => (attemptOfKey(key) === id ? [] : [key]));
    assert.equal(packed.length, 2);
    const parquet = live.filter((key) => key.endsWith('.parquet'));
    await framehold.until('removed objects', () => {
      const { keys, temporary } = objectFiles(framehold.dataDirectory);
      return JSON.stringify(keys) === JSON.stringify(live) && temporary.length === 0 ? true : null;
    });
    context.diagnostic(`packed Arrow: ${sizeOf(framehold, 'objects', packed)} bytes`);
    context.diagnostic(`Parquet: ${sizeOf(framehold, 'cold', parquet)} bytes`);

    await framehold.stop();
    running = await Framehold.start({ home: framehold.home, env: { FRAMEHOLD_CACHE_SIZE: '0' } });
    await running.until('evicted', async () =>
      (await sample(running, 'evicted_parts_total')) === 1 ? true : null,
    );
    const { live: left } = catalogKeys(running.dataDirectory);
    // What stays for good stays, at its new size; what Parquet has exactly goes.
    assert.deepEqual(
      left.filter((key) => key.endsWith('.arrow')),
      packed,
    );
    assert.deepEqual(await flightPython(running.grpcUrl, differing, running.url), []);
  } finally {
    await running.stop();
    await framehold.remove();
  }
});
