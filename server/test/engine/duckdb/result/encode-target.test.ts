import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { Field, Schema } from '../../../../src/arrow/field.ts';
import { castTypeOf } from '../../../../src/engine/duckdb/result/encode-result.ts';
import { FrameholdError } from '../../../../src/model/errors.ts';
import { checkBytes } from '../../../arrow/stream-bytes.ts';
import { arrowBytes, runPython } from '../../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../../support/temporary-folder.ts';
import { encodedStream } from './encoded-stream.ts';

const folder = temporaryFolder('encode-target');
after(() => removeFolder(folder));

/** Python for the column as it is to be, and SQL for its values, which are cast as an INSERT does. */
const cases: Readonly<Record<string, readonly [array: string, ...values: string[]]>> = {
  int8: ['pa.array([1, None, -3], pa.int8())', '1', 'NULL', '-3.2'],
  uint64: ['pa.array([2**64-1], pa.uint64())', "'18446744073709551615'"],
  float32: ['pa.array([0.5, None], pa.float32())', '0.5', 'NULL'],
  bool: ['pa.array([True, None, False])', 'true', 'NULL', "'no'"],
  utf8: ["pa.array(['a', None], pa.utf8())", "'a'", 'NULL'],
  large_utf8: [
    "pa.array(['a', None, 'a text of many bytes'], pa.large_utf8())",
    "'a'",
    'NULL',
    "'a text of many bytes'",
  ],
  utf8_view: [
    "pa.array(['a', None, 'twelve bytes', 'thirteen byte', ''], pa.string_view())",
    "'a'",
    'NULL',
    "'twelve bytes'",
    "'thirteen byte'",
    "''",
  ],
  binary_view: [
    "pa.array([b'a', None, b'a text of many bytes'], pa.binary_view())",
    "'a'",
    'NULL',
    "'a text of many bytes'",
  ],
  large_binary: ["pa.array([b'ab', None], pa.large_binary())", "'ab'", 'NULL'],
  fixed_binary: ["pa.array([b'abc', None], pa.binary(3))", "'abc'", 'NULL'],
  uuid: [
    "pa.array([uuid.UUID('f2345678-1234-4abc-9def-0123456789ab').bytes, None], pa.uuid())",
    "'f2345678-1234-4abc-9def-0123456789ab'",
    'NULL',
  ],
  dictionary: ["pa.array(['x', None, 'y', 'x']).dictionary_encode()", "'x'", 'NULL', "'y'", "'x'"],
  dictionary_8: [
    "pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.int8()), pa.array(['a', 'b'], pa.large_utf8()))",
    "'a'",
    "'b'",
  ],
  decimal32: ["pa.array([Decimal('-1.50'), None], pa.decimal32(5, 2))", '-1.5', 'NULL'],
  decimal64: ["pa.array([Decimal('12345678901.5')], pa.decimal64(15, 1))", '12345678901.5'],
  decimal128: ["pa.array([Decimal('-1.50'), None], pa.decimal128(30, 2))", '-1.5', 'NULL'],
  decimal256: ["pa.array([Decimal('-1.50'), None], pa.decimal256(60, 2))", '-1.5', 'NULL'],
  date32: ['pa.array([datetime.date(2024, 2, 29), None])', "'2024-02-29'", 'NULL'],
  date64: ['pa.array([datetime.date(1969, 12, 31), None], pa.date64())', "'1969-12-31'", 'NULL'],
  time32_s: ["pa.array([datetime.time(1, 2, 3), None], pa.time32('s'))", "'01:02:03'", 'NULL'],
  time32_ms: ["pa.array([datetime.time(1, 2, 3, 4000)], pa.time32('ms'))", "'01:02:03.004'"],
  time64_us: ["pa.array([datetime.time(1, 2, 3, 4)], pa.time64('us'))", "'01:02:03.000004'"],
  time64_ns: ["pa.array([5, None], pa.time64('ns'))", "'00:00:00.000000005'", 'NULL'],
  timestamp_s: ["pa.array([-1, None], pa.timestamp('s'))", "'1969-12-31 23:59:59'", 'NULL'],
  timestamp_ns: ["pa.array([1, None], pa.timestamp('ns'))", "'1970-01-01 00:00:00.000000001'", 'NULL'],
  zoned_s: ["pa.array([1, None], pa.timestamp('s', 'Europe/Paris'))", "'1970-01-01 00:00:01+00'", 'NULL'],
  zoned_us: ["pa.array([1], pa.timestamp('us', 'America/Lima'))", "'1970-01-01 00:00:00.000001+00'"],
  zoned_ns: ["pa.array([-1000, None], pa.timestamp('ns', 'UTC'))", "'1969-12-31 23:59:59.999999+00'", 'NULL'],
  duration_s: ["pa.array([90061, None], pa.duration('s'))", "INTERVAL '1 day 01:01:01'", 'NULL'],
  duration_ns: ["pa.array([1000], pa.duration('ns'))", 'to_microseconds(1)'],
  interval: [
    'pa.array([(1, 2, 3000), None], pa.month_day_nano_interval())',
    "INTERVAL '1 month 2 days 00:00:00.000003'",
    'NULL',
  ],
  null: ['pa.nulls(2)', 'NULL', 'NULL'],
  list: ['pa.array([[1, None], None, []], pa.list_(pa.int32()))', '[1, NULL]', 'NULL', '[]'],
  large_list: [
    "pa.array([['a', None], None, []], pa.large_list(pa.large_utf8()))",
    "['a', NULL]",
    'NULL',
    '[]',
  ],
  list_view: ['pa.array([[1, 2], None, [], [3]], pa.list_view(pa.int64()))', '[1, 2]', 'NULL', '[]', '[3]'],
  fixed_list: ['pa.array([[1, 2], None], pa.list_(pa.int16(), 2))', '[1, 2]', 'NULL'],
  struct: [
    "pa.array([{'a \"b\"': 1, 'c': 'x'}, None], pa.struct([pa.field('a \"b\"', pa.int32(), False), ('c', pa.string_view())]))",
    "{'a \"b\"': 1, 'c': 'x'}",
    'NULL',
  ],
  map: ["pa.array([[('k', 1)], None], pa.map_(pa.string(), pa.int32()))", "MAP {'k': 1}", 'NULL'],
  list_of_dictionaries: [
    "pa.array([['x', 'y'], None, ['x']], pa.list_(pa.dictionary(pa.int32(), pa.string())))",
    "['x', 'y']",
    'NULL',
    "['x']",
  ],
};

const compare = `
import json, sys, datetime, uuid
import numpy as np
import pyarrow as pa
from decimal import Decimal
request = json.load(sys.stdin)
found = {}
for name, expression in request['arrays'].items():
    try:
        expected = pa.table([eval(expression)], ['v'])
        got = pa.ipc.open_stream(request['folder'] + '/' + name).read_all()
        got.validate(full=True)
        if not got.schema.equals(expected.schema, check_metadata=True) or got.to_pylist() != expected.to_pylist():
            found[name] = f'{got} instead of {expected}'
    except Exception as failure:
        found[name] = repr(failure)[:500]
print(json.dumps(found))
`;

async function schemasOf<Name extends string>(
  arrays: Readonly<Record<Name, string>>,
): Promise<Record<Name, Schema>> {
  const tables = Object.fromEntries(
    Object.entries(arrays).map(([name, array]) => [name, `pa.table([${array}], ['v'])`]),
  ) as Record<Name, string>;
  const streams = await arrowBytes(tables);
  return Object.fromEntries(
    Object.entries<Buffer>(streams).map(([name, bytes]) => [name, checkBytes(bytes).schema]),
  ) as Record<Name, Schema>;
}

const only = (schema: Schema): Field => schema.fields[0] as Field;

const insertOf = (schema: Schema, values: readonly string[]): string =>
  values.map((value) => `SELECT CAST(${value} AS ${castTypeOf(only(schema))}) AS v`).join(' UNION ALL ');

test('rows are given exactly as the schema of the frame that they go into', async () => {
  const arrays = Object.fromEntries(Object.entries(cases).map(([name, [array]]) => [name, array]));
  const schemas = await schemasOf(arrays);
  const failures: Record<string, string> = {};
  for (const [name, [, ...values]] of Object.entries(cases)) {
    const schema = schemas[name] as Schema;
    try {
      const { bytes } = await encodedStream(insertOf(schema, values), schema);
      checkBytes(bytes);
      writeFileSync(join(folder, name), bytes);
    } catch (thrown) {
      failures[name] = String(thrown);
    }
  }
  assert.deepEqual(failures, {});
  assert.deepEqual(await runPython(['-c', compare], { folder, arrays }), {});
});

function failsWith(kind: string, text: RegExp): (thrown: unknown) => boolean {
  return (thrown) => thrown instanceof FrameholdError && thrown.kind === kind && text.test(thrown.message);
}

test('a value that the column cannot hold exactly fails the statement', async () => {
  const schemas = await schemasOf({
    seconds: "pa.array([0], pa.time32('s'))",
    milliseconds: "pa.array([0], pa.timestamp('ms', 'UTC'))",
    nanoseconds: "pa.array([0], pa.timestamp('ns', 'UTC'))",
    three: "pa.array([b'abc'], pa.binary(3))",
    few: "pa.DictionaryArray.from_arrays(pa.array([0], pa.int8()), pa.array(['a']))",
    duration: "pa.array([0], pa.duration('s'))",
    nothing: 'pa.nulls(1)',
  });
  const insert = (name: keyof typeof schemas, value: string) =>
    encodedStream(insertOf(schemas[name], [value]), schemas[name]);
  await assert.rejects(insert('seconds', "'01:02:03.5'"), failsWith('sql_failed', /"v".*finer/));
  await assert.rejects(
    insert('milliseconds', "'2020-01-01 00:00:00.000001'"),
    failsWith('sql_failed', /finer/),
  );
  await assert.rejects(insert('nanoseconds', "'2400-01-01'"), failsWith('sql_failed', /range/));
  await assert.rejects(insert('three', "'abcd'"), failsWith('sql_failed', /4 bytes/));
  await assert.rejects(insert('duration', "INTERVAL '1 month'"), failsWith('sql_failed', /months/));
  await assert.rejects(insert('nothing', "'x'"), failsWith('sql_failed', /not null/));
  await assert.rejects(
    encodedStream("SELECT 'v' || i AS v FROM range(129) t(i)", schemas.few),
    failsWith('sql_failed', /128 different/),
  );
  await encodedStream("SELECT 'v' || i % 128 AS v FROM range(9000) t(i)", schemas.few);
});

test('a null for a column that holds none fails, and one inside a struct that is null does not', async () => {
  const required = "pa.array([{'a': 1}], pa.struct([pa.field('a', pa.int32(), False)]))";
  const { inner } = await schemasOf({ inner: required });
  const outer: Schema = { ...inner, fields: [{ ...only(inner), nullable: false }] };
  const cast = `STRUCT("a" INTEGER)`;
  await encodedStream(`SELECT NULL::${cast} AS v`, inner);
  await assert.rejects(
    encodedStream(`SELECT NULL::${cast} AS v`, outer),
    failsWith('sql_failed', /"v".*no nulls/),
  );
  await assert.rejects(
    encodedStream(`SELECT {'a': NULL}::${cast} AS v`, inner),
    failsWith('sql_failed', /"a".*no nulls/),
  );
});

test('a dictionary grows by what each batch adds', async () => {
  const { v } = await schemasOf({ v: "pa.array(['a']).dictionary_encode()" });
  const sql = "SELECT 'text number ' || (i // 1000) AS v FROM range(200000) t(i)";
  const { bytes, messages } = await encodedStream(sql, v);
  checkBytes(bytes);
  assert.ok(messages.length >= 6);
  writeFileSync(join(folder, 'growing'), bytes);
  const answer = await runPython(
    [
      '-c',
      `import json, sys
import pyarrow as pa
t = pa.ipc.open_stream(json.load(sys.stdin)).read_all()
t.validate(full=True)
print(json.dumps(t.column(0).to_pylist() == ['text number ' + str(i // 1000) for i in range(200000)]))`,
    ],
    join(folder, 'growing'),
  );
  assert.equal(answer, true);
});

test('types that nothing makes without loss are refused with the column and both types', async () => {
  const { v } = await schemasOf({ v: 'pa.array([1], pa.int32())' });
  await assert.rejects(
    encodedStream('SELECT 1.5 AS v', v),
    failsWith('schema_conflict', /"v" is int32, and DECIMAL\(2,1\)/),
  );
  await assert.rejects(encodedStream('SELECT 1, 2', v), failsWith('schema_conflict', /2 columns, and 1/));
  const { half } = await schemasOf({ half: 'pa.array(np.array([1], np.float16()))' });
  assert.equal(castTypeOf(only(half)), null);
});
