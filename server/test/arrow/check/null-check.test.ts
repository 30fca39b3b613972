/** Nulls in fields whose schema says that they have none. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StreamCheck } from '../../../src/arrow/check/stream-check.ts';
import { MalformedArrow } from '../../../src/arrow/malformed-arrow.ts';
import { assertTook } from '../../support/machine-pace.ts';
import { arrowBytes, runPython } from '../../support/python.ts';

const required = (array: string) =>
  `(lambda a: pa.table([pa.array(range(len(a))), a], schema=pa.schema([pa.field('n', pa.int64()), pa.field('x', a.type, nullable=False)])))(${array})`;
const inner = (type: string) => `pa.field('item', ${type}, nullable=False)`;
const struct = (values: string, mask: string) =>
  `pa.StructArray.from_arrays([pa.array(${values}, pa.int32())], fields=[${inner('pa.int32()')}], mask=${mask})`;
const nullable = (array: string) => `pa.table({'x': ${array}})`;

/** With the row that is named. */
const refused = {
  plain: [required('pa.array([1.5, None, 2.5])'), 1],
  bits: [required('pa.array([True] * 100 + [None])'), 100],
  text: [required("pa.array(['x', 'y', None])"), 2],
  view: [required("pa.array(['x', None], pa.string_view())"), 1],
  index: [required("pa.array(['a', None, 'b']).dictionary_encode()"), 1],
  dictionaryValue: [
    required("pa.DictionaryArray.from_arrays(pa.array([0, 2, 1], pa.int8()), pa.array(['x', None, 'y']))"),
    2,
  ],
  runs: [
    required(
      'pa.RunEndEncodedArray.from_arrays(pa.array([2, 5, 6], pa.int32()), pa.array([1.5, None, 2.5]))',
    ),
    2,
  ],
  runsOfCodes: [
    required(
      "pa.RunEndEncodedArray.from_arrays(pa.array([3, 4], pa.int16()), pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(['x', None])))",
    ),
    3,
  ],
  structItself: [required("pa.array([{'a': 1}, None])"), 1],
  structMember: [nullable(struct('[1, None, 3]', 'pa.array([False, False, True])')), 1],
  listItem: [
    nullable(
      `pa.ListArray.from_arrays(pa.array([0, 1, 3]), pa.array([1, 2, None]), type=pa.list_(${inner('pa.int64()')}))`,
    ),
    2,
  ],
  fixedListItem: [
    nullable(
      `pa.FixedSizeListArray.from_arrays(pa.array([1, 2, 3, None]), type=pa.list_(${inner('pa.int64()')}, 2))`,
    ),
    3,
  ],
  listViewItem: [
    nullable(
      `pa.ListViewArray.from_arrays(pa.array([0, 0, 0], pa.int32()), pa.array([2, 2, 1], pa.int32()), pa.array([1, None]), type=pa.list_view(${inner('pa.int64()')}))`,
    ),
    1,
  ],
} as const;

/** Nulls that are part of no value. */
const accepted = {
  none: required('pa.array([1, 2, 3])'),
  unusedValue: required(
    "pa.DictionaryArray.from_arrays(pa.array([0, 2], pa.int8()), pa.array(['x', None, 'y']))",
  ),
  underNullStruct: nullable(struct('[1, None]', 'pa.array([False, True])')),
  betweenLists: nullable(
    `pa.ListArray.from_arrays(pa.array([0, None, 2]), pa.array([1, 2, None]).slice(0, 3), type=pa.list_(${inner('pa.int64()')}))`,
  ),
  behindLists: nullable(
    `pa.ListViewArray.from_arrays(pa.array([0, 0], pa.int32()), pa.array([1, 1], pa.int32()), pa.array([1, None]), type=pa.list_view(${inner('pa.int64()')}))`,
  ),
  nullableInside: required('pa.array([[1, None], []])'),
};

function check(stream: Buffer): void {
  const checked = new StreamCheck({
    readSync: (target, position) => stream.copy(target, 0, position, position + target.length),
  });
  checked.finish(stream.length);
}

test('a null where the schema has none is refused, with its field and row', async () => {
  const expressions = Object.fromEntries(Object.entries(refused).map(([name, [table]]) => [name, table]));
  const streams = await arrowBytes(expressions);
  for (const [name, [, row]] of Object.entries(refused))
    assert.throws(
      () => check(streams[name] as Buffer),
      (error: unknown) => {
        assert.ok(error instanceof MalformedArrow, `${name}: ${error}`);
        assert.match(error.message, new RegExp(`field "(x|item)": row ${row} is null, and the schema`), name);
        return true;
      },
      name,
    );
});

test('a null that is part of no value is none', async () => {
  const streams = await arrowBytes(accepted);
  for (const [name, stream] of Object.entries(streams))
    assert.doesNotThrow(() => check(stream as Buffer), name);
});

const twoMessages = `
import base64, io, json, sys
import pyarrow as pa
deltas = json.load(sys.stdin)
schema = pa.schema([pa.field('x', pa.dictionary(pa.int8(), pa.string()), nullable=False)])
sink = io.BytesIO()
with pa.ipc.new_stream(sink, schema, options=pa.ipc.IpcWriteOptions(emit_dictionary_deltas=deltas)) as writer:
    for indices, values in (([0, 0], ['x']), ([0, 1, 2], ['x', 'y', None])):
        array = pa.DictionaryArray.from_arrays(pa.array(indices, pa.int8()), pa.array(values, pa.string()))
        writer.write_batch(pa.record_batch([array], schema=schema))
print(json.dumps(base64.b64encode(sink.getvalue()).decode()))
`;

for (const deltas of [false, true])
  test(`a null that comes later, ${deltas ? 'behind the values of a dictionary' : 'with another dictionary'}, is found`, async () => {
    const stream = Buffer.from((await runPython(['-c', twoMessages], deltas)) as string, 'base64');
    assert.throws(() => check(stream), /field "x": row 2 is null/);
  });

test('overlapping lists are checked in linear time', async () => {
  const { views } = await arrowBytes({
    views: nullable(
      `pa.ListViewArray.from_arrays(pa.array([0] * 200000, pa.int32()), pa.array([200000] * 200000, pa.int32()), pa.array([1] * 199999 + [None]), type=pa.list_view(${inner('pa.int64()')}))`,
    ),
  });
  const begun = performance.now();
  assert.throws(() => check(views), /row 199999 is null/);
  assertTook(performance.now() - begun, 5_000);
});
