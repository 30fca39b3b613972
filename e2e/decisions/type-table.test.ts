import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exec, putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { assertStrictJson, parseExact } from '../../server/test/support/strict-json.ts';

interface Row {
  /** The Arrow type as the table has it. */
  readonly arrow: string;
  /** A Python expression: a pyarrow array. */
  readonly array: string;
  readonly type: string;
  readonly cells: readonly unknown[];
  /** dim and elemType, if the column is an ARRAY. */
  readonly beside?: Readonly<Record<string, unknown>>;
}

const uuid = '12345678-1234-5678-1234-567812345678';

const table: readonly Row[] = [
  { arrow: 'bool', array: 'pa.array([True, False, None])', type: 'BOOLEAN', cells: [true, false, null] },
  { arrow: 'int8', array: 'pa.array([127, -128], pa.int8())', type: 'BYTE', cells: [127, -128] },
  { arrow: 'int16', array: 'pa.array([32767, -32768], pa.int16())', type: 'SHORT', cells: [32767, -32768] },
  {
    arrow: 'int32',
    array: 'pa.array([2**31 - 1, -2**31], pa.int32())',
    type: 'INT',
    cells: [2147483647, -2147483648],
  },
  {
    arrow: 'int64',
    array: 'pa.array([2**63 - 1, -2**63], pa.int64())',
    type: 'LONG',
    cells: [9223372036854775807n, -9223372036854775808n],
  },
  { arrow: 'uint8', array: 'pa.array([255], pa.uint8())', type: 'UBYTE', cells: [255] },
  { arrow: 'uint16', array: 'pa.array([65535], pa.uint16())', type: 'USHORT', cells: [65535] },
  { arrow: 'uint32', array: 'pa.array([2**32 - 1], pa.uint32())', type: 'UINT', cells: [4294967295] },
  {
    arrow: 'uint64',
    array: 'pa.array([2**64 - 1], pa.uint64())',
    type: 'ULONG',
    cells: [18446744073709551615n],
  },
  {
    arrow: 'float16',
    array: 'pa.array(np.array([1.5, 65504], np.float16))',
    type: 'FLOAT',
    cells: [1.5, 65504],
  },
  { arrow: 'float32', array: 'pa.array([0.5, -2.25], pa.float32())', type: 'FLOAT', cells: [0.5, -2.25] },
  { arrow: 'float64', array: 'pa.array([0.1, 1e300])', type: 'DOUBLE', cells: [0.1, 1e300] },
  { arrow: 'utf8', array: "pa.array(['é', None], pa.utf8())", type: 'STRING', cells: ['é', null] },
  { arrow: 'large utf8', array: "pa.array(['a'], pa.large_utf8())", type: 'STRING', cells: ['a'] },
  {
    arrow: 'utf8 view',
    array: "pa.array(['short', 'longer than twelve bytes'], pa.string_view())",
    type: 'STRING',
    cells: ['short', 'longer than twelve bytes'],
  },
  {
    arrow: 'dictionary of strings',
    array: "pa.array(['x', 'y', 'x', None]).dictionary_encode()",
    type: 'SYMBOL',
    cells: ['x', 'y', 'x', null],
  },
  {
    arrow: 'dictionary of others',
    array: 'pa.array([2**40, 7, 2**40], pa.int64()).dictionary_encode()',
    type: 'LONG',
    cells: [1099511627776, 7, 1099511627776],
  },
  {
    arrow: 'run-end encoded',
    array: "pa.RunEndEncodedArray.from_arrays(pa.array([2, 3], pa.int32()), pa.array(['a', 'b']))",
    type: 'STRING',
    cells: ['a', 'a', 'b'],
  },
  {
    arrow: 'date32',
    array: 'pa.array([datetime.date(2024, 2, 29), datetime.date(1969, 12, 31)], pa.date32())',
    type: 'DATE',
    cells: ['2024-02-29T00:00:00.000Z', '1969-12-31T00:00:00.000Z'],
  },
  {
    arrow: 'date64',
    array: 'pa.array([datetime.date(2024, 2, 29)], pa.date64())',
    type: 'DATE',
    cells: ['2024-02-29T00:00:00.000Z'],
  },
  {
    arrow: 'timestamp s',
    array: "pa.array([1704067199, -1], pa.timestamp('s'))",
    type: 'TIMESTAMP',
    cells: ['2023-12-31T23:59:59.000000Z', '1969-12-31T23:59:59.000000Z'],
  },
  {
    arrow: 'timestamp ms',
    array: "pa.array([1704067199123], pa.timestamp('ms', 'UTC'))",
    type: 'TIMESTAMP',
    cells: ['2023-12-31T23:59:59.123000Z'],
  },
  {
    arrow: 'timestamp us',
    array: "pa.array([1704067199123456, -1, 9007199254740993], pa.timestamp('us'))",
    type: 'TIMESTAMP',
    cells: ['2023-12-31T23:59:59.123456Z', '1969-12-31T23:59:59.999999Z', '2255-06-05T23:47:34.740993Z'],
  },
  {
    arrow: 'timestamp ns',
    array: "pa.array([1704067199123456789, -1], pa.timestamp('ns'))",
    type: 'TIMESTAMP_NS',
    cells: ['2023-12-31T23:59:59.123456789Z', '1969-12-31T23:59:59.999999999Z'],
  },
  { arrow: 'time32 s', array: "pa.array([86399], pa.time32('s'))", type: 'TIME', cells: ['23:59:59.000000'] },
  {
    arrow: 'time32 ms',
    array: "pa.array([86399999], pa.time32('ms'))",
    type: 'TIME',
    cells: ['23:59:59.999000'],
  },
  {
    arrow: 'time64 us',
    array: "pa.array([86399999999], pa.time64('us'))",
    type: 'TIME',
    cells: ['23:59:59.999999'],
  },
  {
    arrow: 'time64 ns',
    array: "pa.array([86399999999999, 1], pa.time64('ns'))",
    type: 'TIME',
    cells: ['23:59:59.999999999', '00:00:00.000000001'],
  },
  {
    arrow: 'decimal128',
    array:
      "pa.array([Decimal('12345678901234567890123456789.012345678'), Decimal('-0.000000001')], pa.decimal128(38, 9))",
    type: 'DECIMAL(38,9)',
    cells: ['12345678901234567890123456789.012345678', '-0.000000001'],
  },
  {
    arrow: 'decimal256',
    array: "pa.array([Decimal('9' * 70 + '.999999')], pa.decimal256(76, 6))",
    type: 'DECIMAL(76,6)',
    cells: [`${'9'.repeat(70)}.999999`],
  },
  {
    arrow: 'decimal32',
    array: "pa.array([Decimal('-1234567.89')], pa.decimal32(9, 2))",
    type: 'DECIMAL(9,2)',
    cells: ['-1234567.89'],
  },
  {
    arrow: 'decimal64',
    array: "pa.array([Decimal('1234567890123456.78')], pa.decimal64(18, 2))",
    type: 'DECIMAL(18,2)',
    cells: ['1234567890123456.78'],
  },
  { arrow: 'binary', array: "pa.array([b'\\x00\\xff\\x10'], pa.binary())", type: 'BINARY', cells: ['AP8Q'] },
  { arrow: 'large binary', array: "pa.array([b'ab'], pa.large_binary())", type: 'BINARY', cells: ['YWI='] },
  { arrow: 'binary view', array: "pa.array([b'ab'], pa.binary_view())", type: 'BINARY', cells: ['YWI='] },
  { arrow: 'fixed-size binary', array: "pa.array([b'abc'], pa.binary(3))", type: 'BINARY', cells: ['YWJj'] },
  {
    arrow: 'uuid (extension)',
    array: `pa.array([uuid.UUID('${uuid}').bytes], pa.uuid())`,
    type: 'UUID',
    cells: [uuid],
  },
  {
    arrow: 'any other extension type: its storage',
    array: `pa.array(['{"a": 1}'], pa.json_())`,
    type: 'STRING',
    cells: ['{"a": 1}'],
  },
  {
    arrow: 'list',
    array: 'pa.array([[1, 2], [], None, [None]], pa.list_(pa.int64()))',
    type: 'ARRAY',
    beside: { dim: 1, elemType: 'LONG' },
    cells: [[1, 2], [], null, [null]],
  },
  {
    arrow: 'large list',
    array: 'pa.array([[1.5]], pa.large_list(pa.float64()))',
    type: 'ARRAY',
    beside: { dim: 1, elemType: 'DOUBLE' },
    cells: [[1.5]],
  },
  {
    arrow: 'list view',
    array: 'pa.array([[1, 2], [3]], pa.list_view(pa.int32()))',
    type: 'ARRAY',
    beside: { dim: 1, elemType: 'INT' },
    cells: [[1, 2], [3]],
  },
  {
    arrow: 'fixed-size list',
    array: 'pa.array([[1, 2], None], pa.list_(pa.int32(), 2))',
    type: 'ARRAY',
    beside: { dim: 1, elemType: 'INT' },
    cells: [[1, 2], null],
  },
  {
    arrow: 'list of lists',
    array: 'pa.array([[[1.0], []], [[2.0, 3.0]]], pa.list_(pa.list_(pa.float64())))',
    type: 'ARRAY',
    beside: { dim: 2, elemType: 'DOUBLE' },
    cells: [[[1], []], [[2, 3]]],
  },
  {
    arrow: 'struct',
    array: "pa.array([{'a': 2**60 + 1, 'b': 'x'}, None], pa.struct([('a', pa.int64()), ('b', pa.string())]))",
    type: 'STRUCT',
    cells: [{ a: 1152921504606846977n, b: 'x' }, null],
  },
  {
    arrow: 'map',
    array: "pa.array([[('k', 1), ('l', None)], []], pa.map_(pa.string(), pa.int64()))",
    type: 'MAP',
    cells: [{ k: 1, l: null }, {}],
  },
  {
    arrow: 'a map with non-string keys is an array of pairs',
    array: "pa.array([[(1, 'a'), (2, 'b')]], pa.map_(pa.int64(), pa.string()))",
    type: 'MAP',
    cells: [
      [
        [1, 'a'],
        [2, 'b'],
      ],
    ],
  },
  { arrow: 'null', array: 'pa.nulls(2)', type: 'NULL', cells: [null, null] },
];

/** Types whose cell is an object or an ISO duration whose exact text is not fixed by the table. */
const unions: readonly [string, string][] = [
  [
    'dense union',
    "pa.UnionArray.from_dense(pa.array([0, 1], pa.int8()), pa.array([0, 0], pa.int32()), [pa.array([5], pa.int64()), pa.array(['x'])], ['i', 's'])",
  ],
  [
    'sparse union',
    "pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([5, 6], pa.int64()), pa.array(['w', 'x'])], ['i', 's'])",
  ],
];
const second = 1_000_000_000n;
const spans: readonly [title: string, array: string, type: string, spans: readonly Span[]][] = [
  [
    'duration s',
    "pa.array([90061, -5], pa.duration('s'))",
    'DURATION',
    [
      [0n, 0n, 90061n * second],
      [0n, 0n, -5n * second],
    ],
  ],
  ['duration ms', "pa.array([1500], pa.duration('ms'))", 'DURATION', [[0n, 0n, 1_500_000_000n]]],
  ['duration us', "pa.array([1], pa.duration('us'))", 'DURATION', [[0n, 0n, 1000n]]],
  [
    'duration ns',
    "pa.array([9223372036854775807, -1], pa.duration('ns'))",
    'DURATION',
    [
      [0n, 0n, 9223372036854775807n],
      [0n, 0n, -1n],
    ],
  ],
  [
    'interval month-day-nano',
    'pa.array([pa.MonthDayNano([14, -3, 5_000_000_001])])',
    'INTERVAL',
    [[14n, -3n, 5_000_000_001n]],
  ],
];

let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
  const frames = await arrowBytes(
    Object.fromEntries([
      ...table.map(({ array }, index) => [`row${index}`, `pa.table({'c': ${array}})`]),
      ...unions.map(([, array], index) => [`union${index}`, `pa.table({'c': ${array}})`]),
      ...spans.map(([, array], index) => [`span${index}`, `pa.table({'c': ${array}})`]),
    ]),
  );
  for (const [name, bytes] of Object.entries(frames)) await putFrame(framehold.url, name, bytes);
});
after(async () => await framehold.remove());

interface Result {
  readonly columns: readonly Record<string, unknown>[];
  readonly dataset: readonly (readonly unknown[])[];
}

async function read(name: string): Promise<Result> {
  const answer = await exec(framehold.url, { handle: name, fmt: 'json' });
  assert.equal(answer.status, 200, answer.text);
  await assertStrictJson([answer.text]);
  return parseExact(answer.text) as unknown as Result;
}

for (const [index, { arrow, type, cells, beside }] of table.entries()) {
  test(`${arrow} is ${type}`, async () => {
    const { columns, dataset } = await read(`row${index}`);
    assert.deepEqual(columns, [{ name: 'c', type, ...beside }]);
    assert.deepEqual(
      dataset,
      cells.map((cell) => [cell]),
    );
  });
}

for (const [index, [title]] of unions.entries()) {
  test(`${title} is UNION, an object`, async () => {
    const { columns, dataset } = await read(`union${index}`);
    assert.deepEqual(columns, [{ name: 'c', type: 'UNION' }]);
    assert.deepEqual(dataset, [[{ i: 5 }], [{ s: 'x' }]]);
  });
}

for (const [index, [title, , type, expected]] of spans.entries()) {
  test(`${title} is ${type}, in ISO 8601`, async () => {
    const { columns, dataset } = await read(`span${index}`);
    assert.deepEqual(columns, [{ name: 'c', type }]);
    assert.deepEqual(
      dataset.map(([cell]) => parseSpan(String(cell))),
      expected,
    );
  });
}

/** Months, days and nanoseconds. */
type Span = readonly [months: bigint, days: bigint, nanoseconds: bigint];

function parseSpan(text: string): Span {
  const form =
    /^(-?)P(?:(-?\d+)Y)?(?:(-?\d+)M)?(?:(-?\d+)D)?(?:T(?:(-?\d+)H)?(?:(-?\d+)M)?(?:(-?)(\d+)(?:\.(\d{1,9}))?S)?)?$/;
  const match = form.exec(text);
  assert.ok(match && text.length > 2 && !text.endsWith('T'), `${text} is not ISO 8601`);
  const [, sign, years, months, days, hours, minutes, minus, seconds, fraction] = match;
  const whole = (digits: string | undefined) => BigInt(digits ?? 0);
  const all = sign === '-' ? -1n : 1n;
  const fine = whole(seconds) * second + whole(fraction?.padEnd(9, '0'));
  // A duration counts time only: its days are 24 hours.
  const time = (whole(hours) * 3600n + whole(minutes) * 60n) * second + (minus === '-' ? -fine : fine);
  const calendar = years !== undefined || months !== undefined || whole(days) < 0n;
  if (calendar) return [all * (whole(years) * 12n + whole(months)), all * whole(days), all * time];
  return [0n, 0n, all * (time + whole(days) * 86_400n * second)];
}
