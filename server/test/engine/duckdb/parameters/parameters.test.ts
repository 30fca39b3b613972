import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { nestedTypeText } from '../../../../src/arrow/schema/type-text.ts';
import { parameterRows, parameterSchemaOf } from '../../../../src/engine/duckdb/parameters/parameters.ts';
import { FrameholdError } from '../../../../src/model/errors.ts';
import type { StatementParameters } from '../../../../src/ports/engine.ts';
import { arrowBytes } from '../../../support/python.ts';

let instance: DuckDBInstance;
let connection: DuckDBConnection;

before(async () => {
  instance = await DuckDBInstance.create(':memory:');
  connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  await connection.run(
    "CREATE TABLE t AS SELECT i, '2020-01-01'::DATE + i::INTEGER AS d, i::DECIMAL(9,2) AS p FROM range(10) t(i)",
  );
});

after(() => {
  connection.closeSync();
  instance.closeSync();
});

/** The rows of each run, one after another. */
async function run(sql: string, parameters: StatementParameters | null): Promise<unknown[][]> {
  const statement = await connection.prepare(sql);
  const found: unknown[][] = [];
  for (const bind of parameterRows(parameters, statement)) {
    bind();
    found.push(...((await statement.runAndReadAll()).getRowsJson() as unknown[][]));
  }
  return found;
}

const json = (values: readonly unknown[] | Readonly<Record<string, unknown>>): StatementParameters => ({
  kind: 'json',
  values,
});

function refused(kind: string, text: RegExp): (thrown: unknown) => boolean {
  return (thrown) => thrown instanceof FrameholdError && thrown.kind === kind && text.test(thrown.message);
}

test('values of JSON are bound as the types they have', async () => {
  const sql = 'SELECT typeof(v), v::VARCHAR FROM (SELECT $1 AS v)';
  const cases: readonly (readonly [unknown, string, string | null])[] = [
    [true, 'BOOLEAN', 'true'],
    [-7n, 'INTEGER', '-7'],
    [2n ** 31n, 'BIGINT', '2147483648'],
    [2n ** 53n + 1n, 'BIGINT', '9007199254740993'],
    [2n ** 64n - 1n, 'HUGEINT', '18446744073709551615'],
    [-(2n ** 127n), 'HUGEINT', '-170141183460469231731687303715884105728'],
    [0.1, 'DOUBLE', '0.1'],
    [1, 'DOUBLE', '1.0'],
    [1e5, 'DOUBLE', '100000.0'],
    [2 ** 60, 'DOUBLE', '1.152921504606847e+18'],
    [1e300, 'DOUBLE', '1e+300'],
    ['ä text', 'VARCHAR', 'ä text'],
    [null, '"NULL"', null],
    [[1n, 2.5, null], 'DOUBLE[]', '[1.0, 2.5, NULL]'],
    [[1n, 2n ** 40n], 'BIGINT[]', '[1, 1099511627776]'],
    [[1n, 2n ** 70n], 'HUGEINT[]', '[1, 1180591620717411303424]'],
    [['a', null], 'VARCHAR[]', '[a, NULL]'],
    [[[1n], [], null], 'INTEGER[][]', '[[1], [], NULL]'],
    [[], 'INTEGER[]', '[]'],
    [{ a: 1n, b: ['x'] }, 'STRUCT(a INTEGER, b VARCHAR[])', "{'a': 1, 'b': [x]}"],
    [[{ a: 1n }, { a: null }], 'STRUCT(a INTEGER)[]', "[{'a': 1}, {'a': NULL}]"],
  ];
  const found: unknown[] = [];
  for (const [value] of cases) found.push((await run(sql, json([value])))[0]);
  assert.deepEqual(
    found,
    cases.map(([, type, text]) => [type, text]),
  );
});

test('texts are cast to what the statement compares them with', async () => {
  assert.deepEqual(await run('SELECT count(*) FROM t WHERE d = ?', json(['2020-01-05'])), [['1']]);
  assert.deepEqual(await run('SELECT count(*) FROM t WHERE i > ?', json(['8'])), [['1']]);
  assert.deepEqual(await run('SELECT count(*) FROM t WHERE p < ?', json(['1.50'])), [['2']]);
  assert.deepEqual(await run('SELECT ?::BIGINT + 1', json(['9223372036854775806'])), [
    ['9223372036854775807'],
  ]);
});

test('an object names parameters, in any case and with or without their mark', async () => {
  const sql = 'SELECT $low + 10 * $High AS v';
  assert.deepEqual(await run(sql, json({ low: 1n, $high: 2n })), [[21]]);
  await assert.rejects(run(sql, json({ low: 1 })), refused('sql_invalid', /\$high/i));
  await assert.rejects(run(sql, json({ low: 1, high: 2, other: 3 })), refused('sql_invalid', /\$other/));
});

test('too few, too many and no values are refused', async () => {
  await assert.rejects(run('SELECT ?, ?', json([1])), refused('sql_invalid', /2 parameters, and 1 values/));
  await assert.rejects(run('SELECT ?', json([1, 2])), refused('sql_invalid', /1 parameters, and 2 values/));
  await assert.rejects(run('SELECT ?', null), refused('sql_invalid', /1 parameters, and 0 values/));
  assert.deepEqual(await run('SELECT 1', null), [[1]]);
});

test('integers that are too large, and lists without one type, are refused', async () => {
  await assert.rejects(run('SELECT ?', json([2n ** 127n])), refused('sql_invalid', /128 bits/));
  await assert.rejects(run('SELECT ?', json([[2n ** 53n + 1n, 0.5]])), refused('sql_invalid', /2\^53/));
  await assert.rejects(run('SELECT ?', json([[1, 'a']])), refused('sql_invalid', /different types/));
  await assert.rejects(run('SELECT ?', json([{}])), refused('sql_invalid', /without members/));
  let deep: unknown = 1;
  for (let level = 0; level < 10_000; level++) deep = [deep];
  await assert.rejects(run('SELECT ?', json([deep])), refused('sql_invalid', /nested deeper/));
});

/** Python for an array, and what the engine then has: type and text. */
const arrowCases: Readonly<Record<string, readonly [array: string, type: string, text: string]>> = {
  int8: ['pa.array([-8], pa.int8())', 'TINYINT', '-8'],
  int16: ['pa.array([-300], pa.int16())', 'SMALLINT', '-300'],
  int32: ['pa.array([-70000], pa.int32())', 'INTEGER', '-70000'],
  int64: ['pa.array([-2**63], pa.int64())', 'BIGINT', '-9223372036854775808'],
  uint8: ['pa.array([255], pa.uint8())', 'UTINYINT', '255'],
  uint16: ['pa.array([65535], pa.uint16())', 'USMALLINT', '65535'],
  uint32: ['pa.array([2**32-1], pa.uint32())', 'UINTEGER', '4294967295'],
  uint64: ['pa.array([2**64-1], pa.uint64())', 'UBIGINT', '18446744073709551615'],
  float16: ['pa.array(np.array([-1.5], np.float16()))', 'FLOAT', '-1.5'],
  float32: ['pa.array([0.25], pa.float32())', 'FLOAT', '0.25'],
  float64: ['pa.array([0.1], pa.float64())', 'DOUBLE', '0.1'],
  bool: ['pa.array([True])', 'BOOLEAN', 'true'],
  utf8: ["pa.array(['ä'])", 'VARCHAR', 'ä'],
  large_utf8: ["pa.array(['a text of many bytes'], pa.large_utf8())", 'VARCHAR', 'a text of many bytes'],
  view_short: ["pa.array(['ab'], pa.string_view())", 'VARCHAR', 'ab'],
  view_long: ["pa.array(['a text of many bytes'], pa.string_view())", 'VARCHAR', 'a text of many bytes'],
  binary: ["pa.array([b'\\x00\\xff'])", 'BLOB', '\\x00\\xFF'],
  large_binary: ["pa.array([b'ab'], pa.large_binary())", 'BLOB', 'ab'],
  fixed_binary: ["pa.array([b'abc'], pa.binary(3))", 'BLOB', 'abc'],
  decimal32: ["pa.array([Decimal('-1.50')], pa.decimal32(5, 2))", 'DECIMAL(5,2)', '-1.50'],
  decimal64: ["pa.array([Decimal('12345678901.5')], pa.decimal64(15, 1))", 'DECIMAL(15,1)', '12345678901.5'],
  decimal128: [
    "pa.array([Decimal('-99999999999999999999999999999999999.999')], pa.decimal128(38, 3))",
    'DECIMAL(38,3)',
    '-99999999999999999999999999999999999.999',
  ],
  decimal256: ["pa.array([Decimal('1.5')], pa.decimal256(20, 2))", 'DECIMAL(20,2)', '1.50'],
  date32: ['pa.array([datetime.date(1969, 12, 31)])', 'DATE', '1969-12-31'],
  date64: ['pa.array([datetime.date(2024, 2, 29)], pa.date64())', 'DATE', '2024-02-29'],
  time32_s: ["pa.array([datetime.time(1, 2, 3)], pa.time32('s'))", 'TIME', '01:02:03'],
  time32_ms: ["pa.array([datetime.time(1, 2, 3, 4000)], pa.time32('ms'))", 'TIME', '01:02:03.004'],
  time64_us: ["pa.array([datetime.time(1, 2, 3, 4)], pa.time64('us'))", 'TIME', '01:02:03.000004'],
  time64_ns: ["pa.array([5], pa.time64('ns'))", 'TIME_NS', '00:00:00.000000005'],
  timestamp_s: ["pa.array([-1], pa.timestamp('s'))", 'TIMESTAMP_S', '1969-12-31 23:59:59'],
  timestamp_ms: ["pa.array([1], pa.timestamp('ms'))", 'TIMESTAMP_MS', '1970-01-01 00:00:00.001'],
  timestamp_us: ["pa.array([1], pa.timestamp('us'))", 'TIMESTAMP', '1970-01-01 00:00:00.000001'],
  timestamp_ns: ["pa.array([1], pa.timestamp('ns'))", 'TIMESTAMP_NS', '1970-01-01 00:00:00.000000001'],
  zoned_s: ["pa.array([1], pa.timestamp('s', 'UTC'))", 'TIMESTAMP WITH TIME ZONE', '1970-01-01 00:00:01+00'],
  zoned_ms: [
    "pa.array([1], pa.timestamp('ms', 'Europe/Paris'))",
    'TIMESTAMP WITH TIME ZONE',
    '1970-01-01 00:00:00.001+00',
  ],
  zoned_us: [
    "pa.array([1], pa.timestamp('us', 'UTC'))",
    'TIMESTAMP WITH TIME ZONE',
    '1970-01-01 00:00:00.000001+00',
  ],
  zoned_ns: [
    "pa.array([1000], pa.timestamp('ns', 'UTC'))",
    'TIMESTAMP WITH TIME ZONE',
    '1970-01-01 00:00:00.000001+00',
  ],
  duration: ["pa.array([1500], pa.duration('ms'))", 'INTERVAL', '00:00:01.5'],
  interval: [
    'pa.array([(1, 2, 3000)], pa.month_day_nano_interval())',
    'INTERVAL',
    '1 month 2 days 00:00:00.000003',
  ],
  dictionary: ["pa.array(['x', 'y']).dictionary_encode()[1:]", 'VARCHAR', 'y'],
  list: ['pa.array([[1, None, 3]])', 'BIGINT[]', '[1, NULL, 3]'],
  large_list: ["pa.array([['a', None]], pa.large_list(pa.string()))", 'VARCHAR[]', '[a, NULL]'],
  list_sliced: ['pa.array([[1], [2, 3]], pa.list_(pa.int32()))[1:]', 'INTEGER[]', '[2, 3]'],
  fixed_list: ['pa.array([[1, 2]], pa.list_(pa.int16(), 2))', 'SMALLINT[2]', '[1, 2]'],
  struct: [
    "pa.array([{'a': 1, 'b': None}], pa.struct([('a', pa.int32()), ('b', pa.string())]))",
    'STRUCT(a INTEGER, b VARCHAR)',
    "{'a': 1, 'b': NULL}",
  ],
  map: ["pa.array([[('k', 1)]], pa.map_(pa.string(), pa.int32()))", 'MAP(VARCHAR, INTEGER)', '{k=1}'],
  union: [
    "pa.UnionArray.from_dense(pa.array([1], pa.int8()), pa.array([0], pa.int32()), [pa.array([1]), pa.array(['u'])])",
    'VARCHAR',
    'u',
  ],
  uuid: [
    "pa.array([uuid.UUID('f2345678-1234-4abc-9def-0123456789ab').bytes], pa.uuid())",
    'UUID',
    'f2345678-1234-4abc-9def-0123456789ab',
  ],
  null: ['pa.nulls(1)', '"NULL"', ''],
};

test('every type of an Arrow stream is bound as the same value', async () => {
  const tables = Object.fromEntries(
    Object.entries(arrowCases).map(([name, [array]]) => [name, `pa.table([${array}], ['p'])`]),
  );
  const streams = await arrowBytes(tables);
  const found: Record<string, unknown> = {};
  for (const [name, stream] of Object.entries(streams)) {
    const [row] = await run("SELECT typeof(v), coalesce(v::VARCHAR, '') FROM (SELECT $1 AS v)", {
      kind: 'arrow',
      stream,
    });
    found[name] = row;
  }
  const wanted = Object.fromEntries(
    Object.entries(arrowCases).map(([name, [, type, text]]) => [name, [type, text]]),
  );
  assert.deepEqual(found, wanted);
});

test('each row of an Arrow stream is one run; columns are bound by position, or by name if all names are the same', async () => {
  const streams = await arrowBytes({
    placed: "pa.table({'0': pa.array([1, 2, None]), '1': pa.array(['a', None, 'c'])})",
    named: "pa.table({'b': pa.array([1, 2]), 'a': pa.array(['x', 'y'])})",
    batches: 'pa.concat_tables([pa.table({"p": pa.array([1, 2])}), pa.table({"p": pa.array([3])})])',
    none: "pa.table({'p': pa.array([], pa.int64())})",
  });
  const of = (stream: Uint8Array): StatementParameters => ({ kind: 'arrow', stream });
  assert.deepEqual(await run('SELECT ?::BIGINT, ?::VARCHAR', of(streams.placed)), [
    ['1', 'a'],
    ['2', null],
    [null, 'c'],
  ]);
  assert.deepEqual(await run('SELECT $a::VARCHAR, $b::BIGINT', of(streams.named)), [
    ['x', '1'],
    ['y', '2'],
  ]);
  assert.deepEqual(await run('SELECT ?::BIGINT', of(streams.batches)), [['1'], ['2'], ['3']]);
  assert.deepEqual(await run('SELECT ?::BIGINT', of(streams.none)), []);
  await assert.rejects(run('SELECT ?', of(streams.placed)), refused('sql_invalid', /1 parameters, and 2/));
});

test('what the engine cannot hold exactly, and bytes that are no stream, are refused', async () => {
  const streams = await arrowBytes({
    finer: "pa.table({'p': pa.array([1], pa.timestamp('ns', 'UTC'))})",
    wide: "pa.table({'p': pa.array([Decimal(1)], pa.decimal256(60, 0))})",
  });
  const bind = (stream: Uint8Array) => run('SELECT ?', { kind: 'arrow', stream });
  await assert.rejects(bind(streams.finer), refused('sql_invalid', /"p".*exactly/));
  await assert.rejects(bind(streams.wide), refused('sql_invalid', /decimal256\(60, 0\)/));
  await assert.rejects(bind(Buffer.from('no stream at all')), refused('bad_body', /not an Arrow stream/));
  await assert.rejects(bind(streams.finer.subarray(0, -20)), refused('bad_body', /not an Arrow stream/));
});

test('parameters are described with their names and the types the engine wants', async () => {
  const statement = await connection.prepare(
    'SELECT * FROM t WHERE i > ? AND d = ? AND p < ? AND ? IS NOT NULL',
  );
  assert.deepEqual(
    parameterSchemaOf(statement).fields.map((field) => [field.name, nestedTypeText(field)]),
    [
      ['$1', 'int64'],
      ['$2', 'date32'],
      ['$3', 'decimal128(9, 2)'],
      ['$4', 'null'],
    ],
  );
  const named = await connection.prepare('SELECT * FROM t WHERE i > $low');
  assert.deepEqual(
    parameterSchemaOf(named).fields.map((field) => field.name),
    ['low'],
  );
});
