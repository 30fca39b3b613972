/** Views of frames in a real Spark: rows that comparisons must not lose, names, addresses, and frames without rows. */
import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import type { EngineTable } from '../../../../server/src/ports/engine.ts';
import { decodeStream } from '../../../../server/test/arrow/stream-bytes.ts';
import { transcodedTable } from '../../../../server/test/engine/duckdb/statement-runs.ts';
import { arrowBytes } from '../../../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../../../server/test/support/temporary-folder.ts';
import { ConnectClient } from '../../src/connect/connect-client.ts';
import { startSparkConnect } from '../support/spark-connect-server.ts';
import { TableSession } from './table-session.ts';

const folder = temporaryFolder('spark-views');
const server = await startSparkConnect();
const client = await ConnectClient.open({ url: server.url });
const sources = await arrowBytes({
  numbers: `pa.table({
    'nr': pa.array([0, 1, 2, 3, 4]),
    'd': pa.array([1.0, float('nan'), -0.0, 5.0, None]),
    'f': pa.array([5.0, float('nan'), 5.0, 5.0, None], pa.float32()),
    's': pa.array([{'x': 1.0}, {'x': float('nan')}, {'x': -0.0}, {'x': 5.0}, None]),
  })`,
  times: `pa.table({
    'ms': pa.array([1000, 2000, None], pa.timestamp('ms', 'UTC')),
    'plain': pa.array([1000, 2000, None], pa.timestamp('ms')),
    'us': pa.array([1000000, 2000000, None], pa.timestamp('us', 'UTC')),
    's': pa.array([{'ms': 1000}, {'ms': 2000}, None], pa.struct({'ms': pa.timestamp('ms', 'UTC')})),
  })`,
  ends: `pa.table({
    'b': pa.array([True, True, None]),
    'i8': pa.array([-128, 127, None], pa.int8()),
    'i16': pa.array([-2**15, 2**15 - 1, None], pa.int16()),
    'i32': pa.array([-2**31, 2**31 - 1, None], pa.int32()),
    'i64': pa.array([-2**63, 2**63 - 1, None], pa.int64()),
    'u8': pa.array([0, 255, None], pa.uint8()),
    'u32': pa.array([0, 2**32 - 1, None], pa.uint32()),
    'd4': pa.array(['-99.99', '99.99', None]).cast(pa.decimal128(4, 2)),
    'd18': pa.array(['-' + '9' * 18, '9' * 18, None]).cast(pa.decimal128(18, 0)),
    'd38': pa.array(['-' + '9' * 38, '9' * 38, None]).cast(pa.decimal128(38, 0)),
    'text': pa.array(['', 'ä' * 300, None]),
    'bytes': pa.array([b'', bytes([255]) * 300, None]),
    'day': pa.array([-719162, 2932896, None], pa.int32()).view(pa.date32()),
    'us': pa.array([-62135596800000000, 253402300799999999, None], pa.int64()).view(pa.timestamp('us', 'UTC')),
    'plain': pa.array([-62135596800000000, 253402300799999999, None], pa.int64()).view(pa.timestamp('us')),
    's': pa.array([0, 5, None], pa.timestamp('s', 'UTC')),
  })`,
  names: `pa.Table.from_arrays(
    [pa.array([n]) for n in range(9)],
    names=['', 'a.b', 'a\`b', 'x y', 'select', '\${env:PATH}', "it's", 'column_1', '*'])`,
  same: `pa.Table.from_arrays([pa.array([1]), pa.array([2]), pa.array([3]), pa.array([4])], names=['a', 'A', 'b', 'a_1'])`,
  none: `pa.table({'n': pa.array([], pa.int64()), 't': pa.array([], pa.timestamp('ns'))})`,
  legacy: `pa.table({'d': pa.array([-719162, -141428], pa.int32()).view(pa.date32())}).replace_schema_metadata(
    {'org.apache.spark.legacyDateTime': '', 'org.apache.spark.version': '2.4.0', 'org.apache.spark.timeZone': 'Europe/Berlin'})`,
});
const tables: Record<string, EngineTable> = {};
for (const [name, bytes] of Object.entries(sources)) {
  writeFileSync(join(folder, `${name}.arrows`), bytes);
  tables[name] = await transcodedTable(name, join(folder, `${name}.arrows`), folder);
}
const session = await TableSession.open(client, Object.values(tables));

after(async () => {
  await session.close();
  client.close();
  await server.stop();
  removeFolder(folder);
});

/** The values of a statement's one column of numbers, in its order. */
async function numbers(sql: string, from = session): Promise<number[]> {
  const { batches } = await decodeStream((await from.rows(sql)).stream);
  return batches.flatMap(({ columns: [column], length }) => {
    const bytes = new Uint8Array(column?.buffers[0] ?? []);
    return [...new BigInt64Array(bytes.buffer, 0, length)].map(Number);
  });
}

describe('a comparison loses no rows to the statistics of a file', () => {
  const where = (condition: string) => `SELECT nr FROM numbers WHERE ${condition} ORDER BY nr`;

  test('that leave out NaN, which is larger than every number', async () => {
    assert.deepEqual(await numbers(where('d > 5D')), [1]);
    assert.deepEqual(await numbers(where("d = DOUBLE('NaN')")), [1]);
    assert.deepEqual(await numbers(where('f <> FLOAT(5)')), [1]);
    assert.deepEqual(await numbers(where('f <> 5F')), [1]);
    assert.deepEqual(await numbers(where('s.x > 5D')), [1]);
  });

  test('that know two zeros', async () => {
    assert.deepEqual(await numbers(where('d = 0D')), [2]);
    assert.deepEqual(await numbers(where('d >= 0D AND d < 1D')), [2]);
  });

  test('that are in milliseconds, with a time that is finer', async () => {
    const count = (column: string, condition: string) =>
      numbers(`SELECT count(*) FROM times WHERE ${column} ${condition}`);
    const later = "TIMESTAMP '1970-01-01 00:00:01.0005'";
    for (const column of ['ms', 'us', 's.ms']) {
      assert.deepEqual(await count(column, `< ${later}`), [1], column);
      assert.deepEqual(await count(column, `<> ${later}`), [2], column);
      assert.deepEqual(await count(column, `= ${later}`), [0], column);
    }
    assert.deepEqual(await count('plain', "< TIMESTAMP_NTZ '1970-01-01 00:00:01.0005'"), [1]);
  });
});

/** For each column its least and its greatest value, as literals of its own type: others are cast, and then compared row by row anyway. */
const ends: Readonly<Record<string, readonly [string, string]>> = {
  b: ['false', 'true'],
  i8: ['-128Y', '127Y'],
  i16: ['-32768S', '32767S'],
  i32: ['-2147483648', '2147483647'],
  i64: ['-9223372036854775808L', '9223372036854775807L'],
  u8: ['0S', '255S'],
  u32: ['0L', '4294967295L'],
  d4: ['-99.99BD', '99.99BD'],
  d18: [`-${'9'.repeat(18)}BD`, `${'9'.repeat(18)}BD`],
  d38: [`-${'9'.repeat(38)}BD`, `${'9'.repeat(38)}BD`],
  text: [`''`, `'${'ä'.repeat(300)}'`],
  bytes: [`X''`, `X'${'FF'.repeat(300)}'`],
  day: [`DATE '0001-01-01'`, `DATE '9999-12-31'`],
  us: [`TIMESTAMP '0001-01-01 00:00:00'`, `TIMESTAMP '9999-12-31 23:59:59.999999'`],
  plain: [`TIMESTAMP_NTZ '0001-01-01 00:00:00'`, `TIMESTAMP_NTZ '9999-12-31 23:59:59.999999'`],
  s: [`TIMESTAMP '1970-01-01 00:00:00'`, `TIMESTAMP '1970-01-01 00:00:05'`],
};

test('a comparison with the ends of a column finds the rows that have them', async () => {
  // Of each column the first row has the least value, the second the greatest, and the third none.
  const conditions = Object.entries(ends).flatMap(([column, [least, greatest]]) =>
    column === 'b'
      ? [{ text: `b = ${greatest}`, rows: 2 }]
      : [
          { text: `${column} = ${greatest}`, rows: 1 },
          { text: `${column} <= ${least}`, rows: 1 },
          { text: `${column} <> ${least}`, rows: 1 },
        ],
  );
  // A scan for each condition: only then is it looked up in the statistics.
  const scans = conditions.map(({ text }, index) => `SELECT ${index}L FROM ends WHERE ${text}`);
  const found = await numbers(scans.join(' UNION ALL '));
  const missed = conditions.filter(
    ({ rows }, index) => found.filter((each) => each === index).length !== rows,
  );
  assert.deepEqual(missed, []);
});

describe('names', () => {
  test('of any letters are columns, and one that is empty has a number', async () => {
    const { schema } = await session.rows('SELECT * FROM names');
    assert.deepEqual(
      schema.fields.map(({ name }) => name),
      ['column_1_1', 'a.b', 'a`b', 'x y', 'select', '$' + '{env:PATH}', "it's", 'column_1', '*'],
    );
    assert.deepEqual(await numbers('SELECT `a``b` + `a.b` + column_1_1 FROM names'), [3]);
  });

  test('that are the same without case are refused, and the others are read', async () => {
    assert.deepEqual(await numbers('SELECT b FROM same'), [3]);
    assert.deepEqual(await numbers('SELECT a_1 FROM same'), [4]);
    for (const column of ['a', 'A', '*'])
      await assert.rejects(session.rows(`SELECT ${column} FROM same`), {
        kind: 'column_not_readable',
        message: /another column has the same name/,
      });
  });
});

describe('files', () => {
  test('none, and one without rows, are a table with its columns', async () => {
    const table = tables.none as EngineTable;
    const empty = await TableSession.open(client, [{ ...table, name: 'absent', files: [] }]);
    assert.deepEqual(await numbers('SELECT count(n) FROM absent', empty), [0]);
    await empty.close();
    assert.deepEqual(await numbers('SELECT count(n) FROM none'), [0]);
  });

  test('are what they are, whatever the metadata of the frame says of old calendars', async () => {
    assert.deepEqual(await numbers('SELECT unix_date(d) + 0L FROM legacy ORDER BY d'), [-719162, -141428]);
  });

  test('in a place with odd letters, in folders that look hidden or like partitions, are read once each', async () => {
    const { files } = tables.same as EngineTable;
    const places = ['nr=7', '_hidden', '.hidden', 'a:b', '100% #1', 'ä "b"'].map((place) => {
      const target = join(folder, 'places', place);
      mkdirSync(target, { recursive: true });
      copyFileSync(files[0] as string, join(target, 'x.0.parquet'));
      return `file://${join(target, 'x.0.parquet')}`;
    });
    const table = { ...(tables.same as EngineTable), name: 'placed', files: places };
    const placed = await TableSession.open(client, [table]);
    assert.deepEqual(await numbers('SELECT sum(b) FROM placed', placed), [3 * places.length]);
    const { schema } = await placed.rows('SELECT * EXCEPT (a, A_2) FROM placed LIMIT 0');
    assert.deepEqual(
      schema.fields.map(({ name }) => name),
      ['b', 'a_1'],
    );
    await placed.close();
  });

  test('that are missing or cut end the statement', async () => {
    const { files } = tables.numbers as EngineTable;
    for (const spoil of [rmSync, (path: string) => truncateSync(path, 100)]) {
      const copy = join(folder, 'spoilt.parquet');
      copyFileSync(files[0] as string, copy);
      const table = { ...(tables.numbers as EngineTable), name: 'spoilt', files: [files[0] as string, copy] };
      const spoilt = await TableSession.open(client, [table]);
      spoil(copy);
      await assert.rejects(spoilt.rows('SELECT nr FROM spoilt'), /FAILED_READ_FILE/);
      await spoilt.close();
    }
  });
});

test('a statement cannot insert into a view, so the files of a frame stay as they are', async () => {
  await assert.rejects(session.rows('INSERT INTO none VALUES (1, NULL)'));
  assert.deepEqual(await numbers('SELECT count(n) FROM none'), [0]);
});
