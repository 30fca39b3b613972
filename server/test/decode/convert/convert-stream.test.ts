import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { schemaRecord } from '../../../src/arrow/schema/schema-record.ts';
import { convertStream } from '../../../src/decode/convert/convert-stream.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { checkBytes } from '../../arrow/stream-bytes.ts';
import { arrowBytes, runPython } from '../../support/python.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const folder = temporaryFolder('convert');
let count = 0;

async function convert(
  frame: Uint8Array,
  added: Uint8Array,
  partFiles: readonly string[] = [],
): Promise<{ readonly written: boolean; readonly target: string }> {
  const [source, target] = [join(folder, `${count}.source`), join(folder, `${count++}.target`)];
  writeFileSync(source, added);
  const { schemaHeader, schema } = checkBytes(frame);
  const request = { source, target, schema: schemaRecord(schemaHeader, schema), partFiles };
  const { written } = await convertStream(request, new AbortController().signal);
  if (written) checkBytes(readFileSync(target));
  return { written, target };
}

/** What pyarrow's cast gives is what must come out. */
const comparison = `
import datetime, json, sys
from decimal import Decimal
import pyarrow as pa
request = json.load(sys.stdin)
D = datetime.datetime
ints = [None, 0, 1, 100]
signed = [-100, *ints]
texts = ['', None, 'short', 'a text that is longer than twelve bytes', 'ü€🙂']
blobs = [b'0123456789abcdef', None, b'fedcba9876543210']
moments = [D(2024, 2, 29), None, D(1969, 7, 20)]
lists = [[1, 2], None, [3, None]]
members = [{'x': 1, 'y': 'a'}, None, {'x': None, 'y': 'long enough to be outside a view'}]
integer = [pa.int8(), pa.int16(), pa.int32(), pa.int64(), pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()]
pairs = []
for a in integer:
    for b in [*integer, pa.float32(), pa.float64(), pa.decimal128(12, 2)]:
        pairs.append((a, b, ints))
pairs += [(pa.float64(), b, ints) for b in integer]
pairs += [(pa.decimal128(12, 2), b, ints) for b in [*integer, pa.decimal256(40, 5), pa.decimal128(5, 0)]]
text = [pa.utf8(), pa.large_utf8(), pa.string_view(), pa.dictionary(pa.int8(), pa.utf8()), pa.dictionary(pa.uint32(), pa.large_utf8()), pa.dictionary(pa.uint16(), pa.string_view())]
pairs += [(a, b, texts) for a in text for b in text]
blob = [pa.binary(), pa.large_binary(), pa.binary_view(), pa.binary(16)]
pairs += [(a, b, blobs) for a in blob for b in blob]
time = [pa.timestamp('s'), pa.timestamp('ms'), pa.timestamp('us'), pa.timestamp('ns'), pa.date32(), pa.date64()]
pairs += [(a, b, moments) for a in time for b in time]
pairs += [(pa.time32('s'), pa.time64('ns'), [1, None]), (pa.duration('ms'), pa.duration('us'), [1, -1]), (pa.timestamp('ms', 'UTC'), pa.timestamp('ns', 'Europe/Berlin'), [1, None])]
items = [pa.list_(pa.int8()), pa.large_list(pa.int64()), pa.list_view(pa.float64()), pa.list_(pa.int16(), 2), pa.list_(pa.dictionary(pa.int8(), pa.int32()))]
pairs += [(a, b, lists) for a in items for b in items]
pairs += [(pa.struct([('x', pa.int8()), ('y', pa.string_view())]), pa.struct([('x', pa.float64()), ('y', pa.dictionary(pa.int8(), pa.utf8()))]), members)]
pairs += [(pa.null(), b, [None, None]) for b in [*integer, *text, *blob, *time, *items, pa.bool_(), pa.struct([('x', pa.int8())]), pa.dictionary(pa.int32(), pa.int64())]]
pairs += [(pa.int8(), pa.null(), [None, None])]
pairs += [(pa.dictionary(pa.int64(), pa.int64()), b, ints) for b in [pa.float64(), pa.int8(), pa.dictionary(pa.int16(), pa.decimal128(9, 1))]]
same = [pa.bool_(), pa.float16(), pa.month_day_nano_interval()]

def built(type, values):
    if pa.types.is_dictionary(type):
        plain = pa.array(values, type.value_type) if not pa.types.is_string_view(type.value_type) else pa.array(values, pa.utf8())
        coded = plain.dictionary_encode()
        return pa.DictionaryArray.from_arrays(coded.indices.cast(type.index_type), coded.dictionary.cast(type.value_type))
    if pa.types.is_struct(type):
        children = [built(field.type, [None if row is None else row[field.name] for row in values]) for field in type]
        return pa.StructArray.from_arrays(children, fields=list(type), mask=pa.array([row is None for row in values]))
    if pa.types.is_decimal(type):
        return pa.array([None if value is None else Decimal(value) for value in values], type)
    if pa.types.is_list(type) and pa.types.is_dictionary(type.value_type):
        plain = pa.array(values, pa.list_(pa.int64()))
        return pa.ListArray.from_arrays(plain.offsets, built(type.value_type, plain.values.to_pylist()), mask=plain.is_null())
    if pa.types.is_date(type):
        return pa.array([None if value is None else value.date() for value in values], type)
    return pa.array(values, type)

def write(path, array):
    with pa.ipc.new_stream(path, pa.schema([pa.field('v', array.type)])) as writer:
        # Rows in two batches, the second a slice: offsets do not begin at 0.
        for piece in (array.slice(0, 1), array.slice(1)):
            writer.write_batch(pa.record_batch([piece], names=['v']))

def plain(values):
    """Dates and midnights are the same day here."""
    return [D(value.year, value.month, value.day) if type(value) is datetime.date else float(value) if isinstance(value, (int, Decimal)) and not isinstance(value, bool) else value for value in values]

if 'results' not in request:
    cases = []
    for index, (a, b, values) in enumerate(pairs):
        path = request['folder'] + f'/case-{index}'
        write(path + '.frame', built(b, values[:1]))
        write(path + '.added', built(a, values))
        cases.append({'path': path, 'name': f'{a} as {b}'})
    print(json.dumps(cases))
else:
    faults = []
    for index, (a, b, values) in enumerate(pairs):
        path = request['folder'] + f'/case-{index}'
        table = pa.ipc.open_stream(path + '.target' if request['results'][index] else path + '.added').read_all()
        table.validate(full=True)
        wanted = built(a, values)
        if table.schema.field('v').type != b: faults.append(f'{a} as {b}: {table.schema}')
        got, want = plain(table['v'].to_pylist()), plain(wanted.to_pylist())
        if got != want: faults.append(f'{a} as {b}: {got} is not {want}')
    print(json.dumps(faults))
`;

test('every pair of types that converts gives the values that pyarrow reads', async () => {
  const cases = (await runPython(['-c', comparison], { folder })) as { path: string; name: string }[];
  const results: boolean[] = [];
  for (const { path, name } of cases) {
    const { schemaHeader, schema } = checkBytes(readFileSync(`${path}.frame`));
    const request = {
      source: `${path}.added`,
      target: `${path}.target`,
      schema: schemaRecord(schemaHeader, schema),
      partFiles: [`${path}.frame`],
    };
    const { written } = await convertStream(request, new AbortController().signal).catch((error) => {
      throw new Error(name, { cause: error });
    });
    if (written) checkBytes(readFileSync(request.target));
    results.push(written);
  }
  assert.deepEqual(await runPython(['-c', comparison], { folder, results }), []);
  assert.ok(cases.length > 250, `${cases.length} pairs`);
});

const streams = await arrowBytes({
  frame:
    "pa.table({'id': pa.array([1], pa.int64()), 's': ['x'], 'l': pa.array([[1.5]], pa.list_(pa.float64()))})",
  other:
    "pa.table({'l': pa.array([[1, 2], None, [3, 2**53 + 1]], pa.list_(pa.int64())), 's': ['a', 'b', 'c'], 'id': [1.0, 2.0, 3.0]})",
  noText: "pa.table({'id': [1], 's': [2], 'l': [[1.0]]})",
  missing: "pa.table({'id': [1], 'S': ['x']})",
  same: "pa.table({'id': [5], 's': ['y'], 'l': [[2.5]]})",
  large:
    "pa.table({'id': pa.array([0] * 100), 's': pa.DictionaryArray.from_arrays(pa.array([0] * 100, pa.int32()), pa.array(['€' * 300_000])), 'l': pa.nulls(100)})",
  nulls: "pa.table({'id': pa.nulls(2_500_000), 's': pa.nulls(2_500_000), 'l': pa.nulls(2_500_000)})",
});

function refuses(promise: Promise<unknown>, ...words: RegExp[]): Promise<void> {
  return assert.rejects(promise, (error) => {
    assert.ok(error instanceof FrameholdError, String(error));
    assert.equal(error.kind, 'schema_conflict');
    for (const word of words) assert.match(error.message, word);
    return true;
  });
}

test('a value inside a list is named with its row and where it is', async () => {
  await refuses(convert(streams.frame, streams.other), /Row 3, column "l", inside "item": 9007199254740993 /);
});

test('columns that no value could make fit are refused with the difference', async () => {
  await refuses(convert(streams.frame, streams.noText), /column "s": int64 does not convert to utf8/);
  await refuses(convert(streams.frame, streams.missing), /missing: "s", "l"; not in the frame: "S"/);
});

test('a stream that matches is not written again', async () => {
  const { written, target } = await convert(streams.frame, streams.same);
  assert.deepEqual([written, existsSync(target)], [false, false]);
});

test('a dictionary whose values take much more without it is written in pieces', async () => {
  const { target } = await convert(streams.frame, streams.large);
  const { rows, batches } = checkBytes(readFileSync(target));
  assert.equal(rows, 100);
  assert.ok(batches >= 2, `${batches} batches`);
});

test('columns of nulls, which may have any number of rows, are written in pieces', async () => {
  const { target } = await convert(streams.frame, streams.nulls);
  const { rows, batches } = checkBytes(readFileSync(target));
  assert.equal(rows, 2_500_000);
  assert.ok(batches >= 3, `${batches} batches`);
});

test('lists of an ordered dictionary of which none has an item', async () => {
  const lists = (offsets: string, codes: string, values: string) =>
    `pa.table({'a': pa.LargeListArray.from_arrays(pa.array(${offsets}, pa.int64()), pa.DictionaryArray.from_arrays(pa.array(${codes}, pa.int8()), pa.array(${values}), ordered=True))})`;
  const { frame, added } = await arrowBytes({
    frame: lists('[0, 2]', '[0, 1]', "['a', 'b']"),
    added: lists('[0, 0, 0]', '[]', "['x']"),
  });
  const part = join(folder, 'part.arrows');
  writeFileSync(part, frame);
  const { written, target } = await convert(frame, added, [part]);
  assert.equal(written, true);
  assert.equal(checkBytes(readFileSync(target)).rows, 2);
});
