/** Values of PostgreSQL's formats that need no PostgreSQL: the bytes it was seen to send, values that it cannot hold, and other layouts of the same values. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { ArrayData } from '../../../src/arrow/arrays/array-data.ts';
import { encodeRecordBatchHeader } from '../../../src/arrow/batches/batch-encoder.ts';
import { planBatch } from '../../../src/arrow/batches/batch-layout.ts';
import type { ArrowType } from '../../../src/arrow/field.ts';
import { endOfStream, frameHeader } from '../../../src/arrow/ipc/framing.ts';
import { encodeSchema } from '../../../src/arrow/ipc/schema-encoder.ts';
import { renderPools } from '../../../src/compose/workers/worker-pools.ts';
import type { DataRowOptions } from '../../../src/encode/postgres/data-rows.ts';
import { renderedRows } from '../../../src/encode/render-rows.ts';
import { WorkerRenderer } from '../../../src/encode/renderer.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import { postgresType } from '../../../src/model/types/column-names.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { collect, readingOf } from '../sample-frames.ts';
import { fieldsOf, messagesOf } from './raw-postgres.ts';
import { column, field, rowCount, samples, texts, type Value, whole } from './sample-columns.ts';

const never = new AbortController().signal;

function rowsOptions(columns: readonly ArrayData[], format: 0 | 1): DataRowOptions {
  return { writer: 'postgres', formats: columns.map(() => format), timeZone: 'UTC' };
}

async function rendered(columns: readonly ArrayData[], format: 0 | 1): Promise<Buffer> {
  const schemaMessage = encodeSchema({ fields: columns.map((data) => data.field), metadata: [] });
  const length = columns[0]?.length as number;
  async function* batches() {
    yield { batch: { length, columns }, from: 0, to: length };
  }
  const names = columns.map((data) => ({ name: data.field.name, type: '' }));
  return await collect(renderedRows(rowsOptions(columns, format), names, schemaMessage, batches(), never));
}

/** The values of the first field of each row. */
async function values(data: ArrayData, format: 0 | 1): Promise<(Buffer | null)[]> {
  return messagesOf(await rendered([data], format)).map((message) => fieldsOf(message)[0] as Buffer | null);
}

const int = (bits: 8 | 16 | 32 | 64): ArrowType => ({ kind: 'int', bits, signed: true });
const utf8: ArrowType = { kind: 'utf8', large: false };
const timestamp = (unit: 's' | 'ms' | 'us' | 'ns', zone: string | null = null): ArrowType => ({
  kind: 'timestamp',
  unit,
  zone,
});
const decimal = (precision: number, scale: number): ArrowType => ({
  kind: 'decimal',
  bits: 128,
  precision,
  scale,
});
const list: ArrowType = { kind: 'list', large: false };
const day = 86_400_000_000n;

function number(type: ArrowType, bytes: number, value: bigint): ArrayData {
  return column(type, [value], [whole([value], bytes)]);
}

function text(...all: Value[]): ArrayData {
  return column(utf8, all, texts(all));
}

function double(value: number): ArrayData {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return column({ kind: 'float', bits: 64 }, [value], [bytes]);
}

function listOf(element: ArrayData): ArrayData {
  const offsets = new Int32Array([0, element.length]);
  return column(field('c', list, [element.field]), [1n], [new Uint8Array(offsets.buffer)], [element]);
}

function interval(months: number, days: number, microseconds: bigint): ArrayData {
  const bytes = Buffer.alloc(16);
  bytes.writeInt32LE(months, 0);
  bytes.writeInt32LE(days, 4);
  bytes.writeBigInt64LE(microseconds * 1_000n, 8);
  return column({ kind: 'interval', unit: 'month-day-nano' }, [1n], [bytes]);
}

/** Days since 1970 from the days since the year 1 that the Gregorian calendar has, counted here by themselves. */
function daysOf(year: number, month: number, dayOfMonth: number): bigint {
  return BigInt(Date.UTC(year, month - 1, dayOfMonth)) / 86_400_000n;
}

const noon = (12n * 3_600n + 30n * 60n) * 1_000_000n;
const leapDay = daysOf(2024, 2, 29);

test('values are the bytes that PostgreSQL 15 was seen to send', async () => {
  const seen: readonly (readonly [ArrayData, string, string])[] = [
    [column({ kind: 'bool' }, [1n], [Uint8Array.of(1)]), 't', '01'],
    [number(int(16), 2, 1n), '1', '0001'],
    [number(int(32), 4, -2n), '-2', 'fffffffe'],
    [number(int(64), 8, 3n), '3', '0000000000000003'],
    [double(Number.NEGATIVE_INFINITY), '-Infinity', 'fff0000000000000'],
    [double(Number.NaN), 'NaN', '7ff8000000000000'],
    [number(decimal(18, 4), 16, 123_456_789n), '12345.6789', '0003000100000004000109291a85'],
    [number(decimal(18, 1), 16, -5n), '-0.5', '0001ffff400000011388'],
    [number(decimal(18, 0), 16, 0n), '0', '0000000000000000'],
    [number(decimal(18, 0), 16, 10_000n), '10000', '00010001000000000001'],
    [number(decimal(18, 10), 16, 1n), '0.0000000001', '0001fffd0000000a0064'],
    [
      number(decimal(38, 0), 16, 2n ** 127n - 1n),
      '170141183460469231731687303715884105727',
      '000a00090000000000aa0583209a01d5090d0c601c871bf620da165f',
    ],
    [text('é'), 'é', 'c3a9'],
    [
      column(
        { kind: 'binary', large: false },
        [Uint8Array.of(0xde, 0xad)],
        texts([Uint8Array.of(0xde, 0xad)]),
      ),
      '\\xdead',
      'dead',
    ],
    [number({ kind: 'date', unit: 'day' }, 4, leapDay), '2024-02-29', '00002279'],
    [number({ kind: 'date', unit: 'day' }, 4, -1n), '1969-12-31', 'ffffd532'],
    [number({ kind: 'date', unit: 'day' }, 4, 2_147_483_647n), 'infinity', '7fffffff'],
    [number({ kind: 'date', unit: 'day' }, 4, -2_147_483_647n), '-infinity', '80000000'],
    // 735,522 days from then to 1970.
    [number({ kind: 'date', unit: 'day' }, 4, daysOf(-43, 3, 15)), '0044-03-15 BC', 'fff49d7b'],
    [number({ kind: 'date', unit: 'day' }, 4, daysOf(12_024, 1, 1)), '12024-01-01', '0037dd87'],
    [
      number(timestamp('us'), 8, leapDay * day + noon + 123_456n),
      '2024-02-29 12:30:00.123456',
      '0002b5832fc3c440',
    ],
    [number(timestamp('ms'), 8, (leapDay * day + noon) / 1_000n), '2024-02-29 12:30:00', '0002b5832fc1e200'],
    [
      number(timestamp('s'), 8, (leapDay * day + noon) / 1_000_000n),
      '2024-02-29 12:30:00',
      '0002b5832fc1e200',
    ],
    [number(timestamp('us', 'UTC'), 8, leapDay * day + noon), '2024-02-29 12:30:00+00', '0002b5832fc1e200'],
    [number(timestamp('us'), 8, 2n ** 63n - 1n), 'infinity', '7fffffffffffffff'],
    [number({ kind: 'time', bits: 64, unit: 'us' }, 8, noon + 500_000n), '12:30:00.5', '0000000a7a3d2320'],
    [interval(14, 3, 14_706_700_000n), '1 year 2 mons 3 days 04:05:06.7', '000000036c966ee0000000030000000e'],
    [interval(0, -1, -1_000_000n), '-1 days -00:00:01', 'fffffffffff0bdc0ffffffff00000000'],
    [
      listOf(text('a', 'b c', null, '', 'NULL', 'q"\\z')),
      '{a,"b c",NULL,"","NULL","q\\"\\\\z"}',
      '0000000100000001000000190000000600000001000000016100000003622063ffffffff00000000000000044e554c4c0000000471225c7a',
    ],
    [listOf(text()), '{}', '000000000000000000000019'],
    [
      listOf(column(int(64), [1n, 2n], [whole([1n, 2n], 8)])),
      '{1,2}',
      '0000000100000000000000140000000200000001000000080000000000000001000000080000000000000002',
    ],
  ];
  for (const [data, written, hex] of seen) {
    assert.equal((await values(data, 0))[0]?.toString(), written);
    assert.equal((await values(data, 1))[0]?.toString('hex'), hex, written);
  }
});

test('a value that the type of PostgreSQL cannot hold is refused in both formats, with the column', async () => {
  const time = (unit: 's' | 'us' | 'ns', value: bigint) =>
    number({ kind: 'time', bits: unit === 's' ? 32 : 64, unit }, unit === 's' ? 4 : 8, value);
  const refused: readonly (readonly [ArrayData, string, RegExp])[] = [
    // 4714-11-24 BC is the first day: day 0 of the Julian calendar.
    [number(timestamp('us'), 8, (-2_440_588n - 1n) * day + day - 1n), '22008', /outside the range/],
    [number(timestamp('us'), 8, -(2n ** 63n)), '22008', /outside the range/],
    [number(timestamp('s', 'UTC'), 8, 9_224_318_016_000n), '22008', /outside the range/],
    [number(timestamp('ms'), 8, 9_224_318_016_000_000n), '22008', /outside the range/],
    [number(timestamp('ns'), 8, 1n), '22008', /nanoseconds/],
    [number(timestamp('ns', 'UTC'), 8, -1n), '22008', /nanoseconds/],
    [number({ kind: 'date', unit: 'day' }, 4, -2_440_589n), '22008', /outside the range/],
    [number({ kind: 'date', unit: 'day' }, 4, 2_145_042_906n), '22008', /outside the range/],
    [number({ kind: 'date', unit: 'day' }, 4, -(2n ** 31n)), '22008', /outside the range/],
    [number({ kind: 'date', unit: 'ms' }, 8, 1n), '22008', /time of day/],
    [time('s', 86_401n), '22008', /outside the range/],
    [time('us', -1n), '22008', /outside the range/],
    [time('ns', 1n), '22008', /nanoseconds/],
    [number({ kind: 'duration', unit: 's' }, 8, 2n ** 62n), '22008', /outside the range/],
    [number({ kind: 'duration', unit: 'ns' }, 8, 1n), '22008', /nanoseconds/],
    [number(decimal(3, 16_384), 16, 1n), '22003', /scale/],
    [text('fine', 'a\0b'), '22021', /zero byte/],
    [text(`${'x'.repeat(100)}\0`), '22021', /zero byte/],
    [listOf(text('a\0b')), '22021', /zero byte/],
  ];
  for (const [data, sqlState, what] of refused)
    for (const format of [0, 1] as const)
      await assert.rejects(
        rendered([data], format),
        (thrown) => {
          assert.ok(thrown instanceof FrameholdError, String(thrown));
          assert.deepEqual(
            { kind: thrown.kind, sqlState: thrown.sqlState },
            { kind: 'not_representable', sqlState },
          );
          assert.match(thrown.message, what);
          assert.match(thrown.message, /"\w+"/);
          return thrown.hint !== undefined;
        },
        `${JSON.stringify(data.field.type)} ${what}`,
      );
  // The values right beside them are sent.
  for (const data of [
    number(timestamp('us'), 8, -2_440_588n * day),
    number(timestamp('s'), 8, 9_224_318_015_999n),
    number({ kind: 'date', unit: 'day' }, 4, 2_145_042_905n),
    time('s', 86_400n),
    column({ kind: 'binary', large: false }, ['a\0b'], texts(['a\0b'])),
  ])
    assert.equal((await values(data, 1)).length, 1);
});

/** Views of 16 bytes: short values are inside, long ones in two data buffers. */
function viewsOf(type: ArrowType, all: readonly Value[]): ArrayData {
  const views = Buffer.alloc(all.length * 16);
  const data: [Buffer[], Buffer[]] = [[], []];
  for (const [row, value] of all.entries()) {
    const bytes = Buffer.from((value as string | null) ?? '');
    views.writeInt32LE(bytes.length, row * 16);
    if (bytes.length <= 12) bytes.copy(views, row * 16 + 4);
    else {
      const parts = data[row % 2] as Buffer[];
      bytes.copy(views, row * 16 + 4, 0, 4);
      views.writeInt32LE(row % 2, row * 16 + 8);
      views.writeInt32LE(Buffer.concat(parts).length, row * 16 + 12);
      parts.push(bytes);
    }
  }
  return column(type, all, [views, Buffer.concat(data[0]), Buffer.concat(data[1])]);
}

function largeTexts(all: readonly Value[]): Uint8Array[] {
  const [offsets, bytes] = texts(all) as [Uint8Array, Uint8Array];
  const longs = BigInt64Array.from(new Int32Array(offsets.buffer), BigInt);
  return [new Uint8Array(longs.buffer), bytes];
}

const someTexts: readonly Value[] = [
  '',
  null,
  'short',
  'twelve bytes',
  'thirteen byte',
  'é'.repeat(40),
  null,
  'x'.repeat(500),
];

async function sameAs(plain: ArrayData, others: readonly ArrayData[]): Promise<void> {
  for (const format of [0, 1] as const) {
    const expected = await values(plain, format);
    for (const other of others) {
      assert.deepEqual(await values(other, format), expected, JSON.stringify(other.field.type));
      assert.equal(postgresType(other.field).oid, postgresType(plain.field).oid);
    }
  }
}

test('texts and bytes are the same in every layout', async () => {
  await sameAs(text(...someTexts), [
    column({ kind: 'utf8', large: true }, someTexts, largeTexts(someTexts)),
    viewsOf({ kind: 'utf8-view' }, someTexts),
  ]);
  await sameAs(column({ kind: 'binary', large: false }, someTexts, texts(someTexts)), [
    column({ kind: 'binary', large: true }, someTexts, largeTexts(someTexts)),
    viewsOf({ kind: 'binary-view' }, someTexts),
  ]);
  const wide = ['four', null, '4444'];
  const fixed = Buffer.from('four\0\0\0\x004444');
  await sameAs(column({ kind: 'binary', large: false }, wide, texts(wide)), [
    column({ kind: 'fixed-binary', width: 4 }, wide, [fixed]),
  ]);
});

test('lists are the same in every layout', async () => {
  const numbers = [1n, 2n, null, 4n, 5n, 6n];
  const child = column(int(32), numbers, [whole(numbers, 4)]);
  const rows = [1n, null, 1n];
  const of = (type: ArrowType, buffers: readonly Uint8Array[]) =>
    column(field('c', type, [child.field]), rows, buffers, [child]);
  const int32 = (...each: number[]) => whole(each.map(BigInt), 4);
  const int64 = (...each: number[]) => whole(each.map(BigInt), 8);
  const plain = of(list, [int32(0, 2, 4, 6)]);
  assert.deepEqual(
    (await values(plain, 0)).map((value) => value?.toString()),
    ['{1,2}', undefined, '{5,6}'],
  );
  await sameAs(plain, [
    of({ kind: 'list', large: true }, [int64(0, 2, 4, 6)]),
    of({ kind: 'fixed-list', size: 2 }, []),
    // Of a null row neither the place nor the size must hold.
    of({ kind: 'list-view', large: false }, [int32(0, 99, 4), int32(2, 99, 2)]),
    of({ kind: 'list-view', large: true }, [int64(0, 99, 4), int64(2, 99, 2)]),
  ]);
});

test('structs, maps, unions and lists that nest are JSON in both formats, and NaN is a string', async () => {
  const keys = text('a', 'b');
  const floats = Buffer.alloc(16);
  floats.writeDoubleLE(1.5, 0);
  floats.writeDoubleLE(Number.NaN, 8);
  const doubles = column({ kind: 'float', bits: 64 }, [1n, 1n], [floats]);
  const named = (name: string, data: ArrayData) => ({ ...data, field: { ...data.field, name } });
  const pair = [named('key', keys), named('value', doubles)];
  const struct = column(
    field(
      'entries',
      { kind: 'struct' },
      pair.map((each) => each.field),
    ),
    [1n, 1n],
    [],
    pair,
  );
  const offsets = whole([0n, 2n], 4);
  const map = column(
    field('c', { kind: 'map', keysSorted: false }, [struct.field]),
    [1n],
    [offsets],
    [struct],
  );
  const union = {
    ...column(
      field('c', { kind: 'union', mode: 'sparse', typeIds: [0, 1] }, [keys.field, doubles.field]),
      [1n, 1n],
      [Uint8Array.of(0, 1)],
      [keys, doubles],
    ),
    validity: null,
  };
  const cases: readonly (readonly [ArrayData, readonly string[]])[] = [
    [struct, ['{"key":"a","value":1.5}', '{"key":"b","value":"NaN"}']],
    [listOf(listOf(keys)), ['[["a","b"]]']],
    [listOf(struct), ['[{"key":"a","value":1.5},{"key":"b","value":"NaN"}]']],
  ];
  for (const [data, expected] of cases)
    for (const format of [0, 1] as const) {
      assert.equal(postgresType(data.field).name, 'json');
      const sent = (await values(data, format)).map((value) => JSON.parse(value?.toString() as string));
      assert.deepEqual(
        sent,
        expected.map((each) => JSON.parse(each)),
      );
    }
  // How a map and a union look is what JSON exports have, which other tests hold; here it must be JSON, and the same bytes.
  for (const data of [map, union]) {
    assert.equal(postgresType(data.field).name, 'json');
    const [sent, binary] = [await values(data, 0), await values(data, 1)];
    assert.deepEqual(sent, binary);
    for (const value of sent) JSON.parse(value?.toString() as string);
    assert.ok(Buffer.concat(sent as Buffer[]).includes('"NaN"'));
  }
});

const renderer = new WorkerRenderer(renderPools({ threads: 1 }));
after(() => renderer.close());

/** A frame of these columns as a file. */
function fileOf(name: string, columns: readonly ArrayData[]): string {
  const plan = planBatch(columns[0]?.length as number, columns);
  const body = new Uint8Array(plan.layout.bodyBytes);
  plan.write(body);
  const path = join(temporaryFolder('postgres-rows'), name);
  const schema = encodeSchema({ fields: columns.map((data) => data.field), metadata: [] });
  writeFileSync(
    path,
    Buffer.concat([
      frameHeader(schema),
      frameHeader(encodeRecordBatchHeader(plan.layout)),
      body,
      endOfStream,
    ]),
  );
  return path;
}

test('rows out of a worker thread are the same, and a refusal keeps its SQLSTATE', async () => {
  const columns = samples()
    .map(({ data }) => data)
    .filter((data) => data.field.dictionary === null && data.length === rowCount)
    .map((data, index) => ({ ...data, field: { ...data.field, name: `c${index}` } }));
  const path = fileOf('rows.arrows', columns);
  for (const format of [0, 1] as const) {
    const sent = await collect(renderer.render(readingOf([path]), rowsOptions(columns, format), never));
    assert.equal(messagesOf(sent).length, rowCount);
    const expected = messagesOf(await rendered(columns, format)).map(fieldsOf);
    for (const [row, fields] of messagesOf(sent).map(fieldsOf).entries())
      assert.deepEqual(fields, expected[row], `row ${row} in the format ${format}`);
  }
  const bad = text('a\0b');
  await assert.rejects(
    collect(renderer.render(readingOf([fileOf('bad.arrows', [bad])]), rowsOptions([bad], 1), never)),
    (thrown) => thrown instanceof FrameholdError && thrown.sqlState === '22021',
  );
});
