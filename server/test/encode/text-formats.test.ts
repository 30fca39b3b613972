import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { renderPools } from '../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../src/encode/renderer.ts';
import type { RowFormat } from '../../src/ports/renderer.ts';
import { runPython } from '../support/python.ts';
import { collect, type ReadingChoice, readingOf, type SampleFrames, sampleFrames } from './sample-frames.ts';

let frames: SampleFrames;
let renderer: WorkerRenderer;
before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  frames = await sampleFrames();
});
after(() => renderer.close());

const never = new AbortController().signal;

async function render(
  names: readonly string[],
  format: RowFormat,
  choice: ReadingChoice = {},
  quoteLargeNumbers = false,
): Promise<string> {
  const reading = readingOf(names.map(frames.path), choice);
  const options = { format, query: 'what "was" asked', quoteLargeNumbers };
  return (await collect(renderer.render(reading, options, never))).toString('utf8');
}

function jsonBody(columns: unknown, rows: readonly (readonly string[])[]): string {
  const dataset = rows.map((row) => `[${row.join(',')}]`).join(',');
  return `{"query":"what \\"was\\" asked","columns":${JSON.stringify(columns)},"dataset":[${dataset}],"count":${rows.length}}`;
}

test('every type has exactly the texts that Python computed, in JSON, NDJSON and CSV', async () => {
  assert.ok(frames.names.length > 70);
  for (const name of frames.names) {
    const expected = frames.expected(name);
    const keys = expected.columns.map((column) => JSON.stringify(column.name));
    const header = expected.columns.map((column) => column.name).join(',');
    assert.equal(await render([name], 'json'), jsonBody(expected.columns, expected.json), name);
    const lines = expected.ndjson.map(
      (row) => `{${row.map((text, at) => `${keys[at]}:${text}`).join(',')}}\n`,
    );
    assert.equal(await render([name], 'ndjson'), lines.join(''), name);
    const records = [[header], ...expected.csv].map((row) => `${row.join(',')}\r\n`);
    assert.equal(await render([name], 'csv'), records.join(''), name);
  }
});

test('batches, compression and parts do not change the texts', async () => {
  const expected = frames.expected('everything');
  for (const name of ['pieces', 'pieces-lz4', 'pieces-zstd'])
    assert.equal(await render([name], 'json'), jsonBody(expected.columns, expected.json), name);
  assert.equal(
    await render(['pieces', 'everything', 'pieces-zstd'], 'json'),
    jsonBody(expected.columns, [...expected.json, ...expected.json, ...expected.json]),
  );
});

test('any range of rows, over batches and parts', async () => {
  const { columns, json } = frames.expected('everything');
  const all = [...json, ...json];
  for (let offset = 0; offset <= all.length; offset += 3) {
    for (const rowCount of [0, 1, 2, 5, all.length - offset]) {
      if (offset + rowCount > all.length) continue;
      const text = await render(['pieces', 'pieces-lz4'], 'json', { offset, rowCount });
      assert.equal(text, jsonBody(columns, all.slice(offset, offset + rowCount)), `${offset}+${rowCount}`);
    }
  }
});

test('chosen columns come in the order asked for, also twice', async () => {
  const { columns, json } = frames.expected('everything');
  const chosen = [columns.length - 1, 3, 3, 20, 21];
  assert.equal(
    await render(['pieces'], 'json', { columns: chosen, offset: 2, rowCount: 7 }),
    jsonBody(
      chosen.map((index) => columns[index]),
      json.slice(2, 9).map((row) => chosen.map((index) => row[index] as string)),
    ),
  );
});

test('dictionaries that grow and change in a stream, read from any row', async () => {
  const { columns, json } = frames.expected('changing-dictionaries');
  for (let offset = 0; offset < json.length; offset++)
    assert.equal(
      await render(['changing-dictionaries'], 'json', { offset }),
      jsonBody(columns, json.slice(offset)),
    );
});

test('quoteLargeNumbers makes strings of 64-bit integers only, also inside others', async () => {
  const text = await render(['everything'], 'json', {}, true);
  const { columns, dataset } = JSON.parse(text) as { columns: { name: string }[]; dataset: unknown[][] };
  const cell = (name: string, row: number) =>
    dataset[row]?.[columns.findIndex((column) => column.name === name)];
  assert.deepEqual(
    [cell('long', 0), cell('ulong', 1), cell('int', 0)],
    ['-9223372036854775808', '18446744073709551615', -2147483648],
  );
  assert.deepEqual(
    [cell('list', 4), cell('dictionary_of_long', 0)],
    [['1152921504606846976'], '1152921504606846976'],
  );
});

test('names are escaped, and one that occurs twice is kept, except as a key of an object', async () => {
  const json = await render(['odd-names'], 'json');
  assert.deepEqual(
    (JSON.parse(json) as { columns: unknown }).columns,
    ['a', 'a', '', 'quote " and , comma', 'line\nbreak', 'żółw'].map((name) => ({ name, type: 'LONG' })),
  );
  assert.equal(
    await render(['odd-names'], 'csv'),
    'a,a,"","quote "" and , comma","line\nbreak",żółw\r\n0,1,2,3,4,5\r\n',
  );
  assert.equal(
    await render(['odd-names'], 'ndjson'),
    '{"a":0,"a_1":1,"":2,"quote \\" and , comma":3,"line\\nbreak":4,"żółw":5}\n',
  );
});

test('a frame without rows has columns and no rows', async () => {
  const { columns } = frames.expected('everything');
  assert.equal(await render(['no-rows'], 'json'), jsonBody(columns, []));
  assert.equal(await render(['no-rows'], 'ndjson'), '');
  assert.equal(await render(['no-rows'], 'csv'), `${columns.map(({ name }) => name).join(',')}\r\n`);
});

const parseStrictly = `
import csv, io, json, sys
def refuse(name):
    raise ValueError('not JSON: ' + name)
request = json.load(sys.stdin)
whole = json.loads(request['json'], parse_constant=refuse, strict=True)
lines = [json.loads(line, parse_constant=refuse, strict=True) for line in request['ndjson'].split('\\n')[:-1]]
records = list(csv.reader(io.StringIO(request['csv'], newline=''), strict=True))
print(json.dumps([len(whole['dataset']), len(lines), len(records), sorted({len(record) for record in records})]))
`;

test("Python's strict parsers read all of it", async () => {
  const { columns, json } = frames.expected('everything');
  const texts = {
    json: await render(['everything'], 'json'),
    ndjson: await render(['everything'], 'ndjson'),
    csv: await render(['everything'], 'csv'),
  };
  const counts = await runPython(['-c', parseStrictly], texts);
  assert.deepEqual(counts, [json.length, json.length, json.length + 1, [columns.length]]);
});
