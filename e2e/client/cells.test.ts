/** The client's texts of cells are those of the server's CSV, for every type that Arrow has and for values at random. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { Framehold as Client, cellText } from '../../client/src/index.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { runPython } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const writeCases = `
import json, sys
import numpy as np
import pyarrow as pa
sys.path.insert(0, ${JSON.stringify(join(import.meta.dirname, '..', 'python'))})
from round_trip_cases import Case, cases
request = json.load(sys.stdin)
random = np.random.default_rng(request['seed'])
def words(count, type_):
    return random.integers(0, 2**64, count, np.uint64, endpoint=False).view(type_)
def column(array):
    schema = pa.schema([pa.field('c', array.type)])
    return Case(schema, [pa.RecordBatch.from_arrays([array], schema=schema)])
def integers():
    # Of every magnitude, not only of the largest.
    return pa.array(words(500, np.int64) >> random.integers(0, 64, 500))
made = cases()
made['random float64'] = column(pa.array(words(2000, np.float64)))
made['random float32'] = column(pa.array(words(1000, np.float32)))
made['random uint64'] = column(pa.array(words(500, np.uint64)))
made['random powers of two in float32'] = column(pa.array(2.0 ** np.arange(-149, 128), pa.float32()))
for unit in ['s', 'ms', 'us', 'ns']:
    made[f'random timestamp[{unit}]'] = column(integers().cast(pa.timestamp(unit)))
    made[f'random duration[{unit}]'] = column(integers().cast(pa.duration(unit)))
made['random date32'] = column(pa.array(words(500, np.int32)).cast(pa.date32()))
made['random date64'] = column(pa.Array.from_buffers(pa.date64(), 500, integers().buffers()))
for width, type_ in [(16, pa.decimal128(38, 10)), (32, pa.decimal256(76, 40)), (16, pa.decimal128(38, -3))]:
    data = pa.py_buffer(random.bytes(width * 500))
    made[f'random {type_}'] = column(pa.Array.from_buffers(type_, 500, [None, data]))
made['random interval'] = column(pa.Array.from_buffers(pa.month_day_nano_interval(), 500, [None, pa.py_buffer(random.bytes(8000))]))
made['floats inside a list'] = column(pa.array([[0.1, -1e30], [None], []], pa.list_(pa.float32())))
names = []
for name, case in made.items():
    with pa.ipc.new_stream(f"{request['folder']}/{len(names)}", case.schema, options=case.options) as writer:
        for batch in case.batches:
            writer.write_batch(batch)
    names.append(name)
print(json.dumps(names))
`;

const folder = temporaryFolder('cells');
const seed = Number(process.env.CELLS_SEED ?? Date.now() % 1_000_000);
let framehold: Framehold;
let client: Client;
let names: readonly string[] = [];

before(async () => {
  names = (await runPython(['-c', writeCases], { folder, seed })) as string[];
  framehold = await Framehold.start();
  client = new Client({ url: framehold.url });
});
after(async () => {
  await framehold.remove();
  removeFolder(folder);
});

describe(`texts of cells, seed ${seed}`, () => {
  test('every case has the texts of the server, whole and as one table', async () => {
    assert.ok(names.length > 100, `${names.length} cases`);
    for (const [index, name] of names.entries()) {
      const manifest = await client.frames.put(`case_${index}`, readFileSync(join(folder, String(index))), {
        format: 'arrow',
      });
      const expected = csvRecords(
        await (await client.export(manifest.handle, { format: 'csv' })).text(),
      ).slice(1);
      const rows = await client.rows(manifest.handle);
      assert.deepEqual(rows.columns, manifest.columns, name);
      const found: (string | null)[][] = [];
      let rowCount = 0;
      for await (const batch of rows) {
        rowCount += batch.rowCount;
        for (let row = 0; row < batch.rowCount; row++)
          found.push(manifest.columns.map((_, column) => asInCsv(batch.text(row, column))));
      }
      assert.equal(rowCount, manifest.rows, name);
      if (manifest.columns.length === 0) continue;
      assert.deepEqual(found, expected, name);
      const table = await (await client.rows(manifest.handle)).table();
      const inTable = expected.map((_, row) =>
        table.children.map((column) => asInCsv(cellText(column, row))),
      );
      assert.deepEqual(inTable, expected, `${name}, as a table`);
    }
  });

  test('a window of rows and columns has the same texts', async () => {
    const whole = await (await client.rows('case_0')).table();
    const part = await (await client.rows('case_0', { offset: 4, limit: 6, columns: ['c'] })).table();
    assert.equal(part.numRows, 6);
    for (let row = 0; row < 6; row++)
      assert.equal(cellText(part.getChildAt(0), row), cellText(whole.getChildAt(0), row + 4));
  });
});

test('values that other readers change are told apart', async () => {
  const rows = await client.sql(`
    select 9007199254740993::bigint, 18446744073709551615::ubigint,
      '1234567890123456789012345678.0123456789'::decimal(38,10), timestamp_ns '2024-02-29 12:30:00.123456789',
      '-0.0'::double, 0::double, 'nan'::double, '-inf'::double, '', null::varchar, 0.1::float, 'null'`);
  const texts: (string | null)[] = [];
  for await (const batch of rows) rows.columns.forEach((_, column) => void texts.push(batch.text(0, column)));
  assert.deepEqual(texts, [
    '9007199254740993',
    '18446744073709551615',
    '1234567890123456789012345678.0123456789',
    '2024-02-29T12:30:00.123456789',
    '-0.0',
    '0',
    'NaN',
    '-Infinity',
    '',
    null,
    '0.1',
    'null',
  ]);
});

test('inside a list, NaN and minus zero are told apart from null and zero', async () => {
  const rows = await client.sql("select ['nan'::double, null, '-0.0'::double, 0, 'inf'::double]");
  for await (const batch of rows) assert.equal(batch.text(0, 0), '[NaN,null,-0.0,0,Infinity]');
});

/** CSV writes minus zero without its decimal. */
function asInCsv(text: string | null): string | null {
  return text === '-0.0' ? '-0' : text;
}

/** Records of RFC 4180, with null for a field of nothing at all. */
function csvRecords(text: string): (string | null)[][] {
  const records: (string | null)[][] = [];
  let record: (string | null)[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === '"') {
      let field = '';
      for (at++; ; at++) {
        if (text[at] !== '"') field += text[at];
        else if (text[at + 1] === '"') field += text[at++];
        else break;
      }
      at++;
      record.push(field);
    } else {
      const start = at;
      while (at < text.length && text[at] !== ',' && text[at] !== '\r') at++;
      record.push(at === start ? null : text.slice(start, at));
    }
    if (text[at] === ',') {
      at++;
      // A field of nothing at the end of a line.
      if (text[at] === '\r') record.push(null);
    }
    if (text[at] === '\r') {
      at += 2;
      records.push(record);
      record = [];
    }
  }
  return records;
}
