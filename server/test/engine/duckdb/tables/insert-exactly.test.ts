import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { ArrowType, Field } from '../../../../src/arrow/field.ts';
import { encodeSchema } from '../../../../src/arrow/ipc/schema-encoder.ts';
import type { FrameholdError } from '../../../../src/model/errors.ts';
import type { StatementParameters } from '../../../../src/ports/engine.ts';
import { removeFolder, temporaryFolder } from '../../../support/temporary-folder.ts';
import { runStatement, sandboxOptions } from '../statement-runs.ts';

const folder = temporaryFolder('insert');
after(() => removeFolder(folder));
const options = sandboxOptions(folder);
const json = (values: readonly unknown[]): StatementParameters => ({ kind: 'json', values });

/** A column of each type that a cast could change values for. */
const exactTarget = encodeSchema({
  fields: [
    column('i', { kind: 'int', bits: 32, signed: true }),
    column('b', { kind: 'bool' }),
    column('p', { kind: 'decimal', bits: 128, precision: 9, scale: 2 }),
    column('f', { kind: 'float', bits: 32 }),
    column('g', { kind: 'float', bits: 64 }),
    column('day', { kind: 'date', unit: 'day' }),
    column('t', { kind: 'time', bits: 64, unit: 'us' }),
    column('m', { kind: 'timestamp', unit: 'us', zone: null }),
    column('ms', { kind: 'timestamp', unit: 'ms', zone: null }),
    column('z', { kind: 'timestamp', unit: 'us', zone: 'UTC' }),
    column('l', { kind: 'list', large: false }, [column('l', { kind: 'int', bits: 32, signed: true })]),
    column('o', { kind: 'struct' }, [column('x y', { kind: 'date', unit: 'day' })]),
    column('k', { kind: 'map', keysSorted: false }, [
      {
        ...column('entries', { kind: 'struct' }, [
          { ...column('key', { kind: 'utf8', large: false }), nullable: false },
          column('value', { kind: 'int', bits: 32, signed: true }),
        ]),
        nullable: false,
      },
    ]),
    column('v', { kind: 'utf8', large: false }),
  ],
  metadata: [],
});

function column(name: string, type: ArrowType, children: readonly Field[] = []): Field {
  return { name, type, nullable: true, children, dictionary: null, metadata: [] };
}

const changedValues: readonly (readonly [column: string, value: string])[] = [
  ['i', '1.7'],
  ['i', '1.7::DOUBLE'],
  ['i', "'1.7'"],
  ['i', "'12e-1'"],
  ['b', '2'],
  ['b', '0.5'],
  ['p', '1.239'],
  ['p', '(1.0::DOUBLE / 3)'],
  ['p', "'1.239'"],
  ['p', "'1e-3'"],
  ['f', '16777217'],
  ['f', "'16777217'"],
  ['g', '9007199254740993'],
  ['g', '9223372036854775807'],
  ['day', "TIMESTAMP '2024-01-01 12:00:00'"],
  ['day', "TIMESTAMPTZ '2024-01-01 12:00:00+00'"],
  ['day', "'2024-01-01 12:00:00'"],
  ['t', "TIMESTAMP '2024-01-01 12:00:00'"],
  ['t', "'2024-01-01 12:00:00'"],
  ['t', "'12:00:00.1234567'"],
  ['t', "'12:00:00+02'"],
  ['m', "'2024-01-01 12:00:00.123456789'::TIMESTAMP_NS"],
  ['m', "'2024-01-01 12:00:00.1234567'"],
  ['m', "'2024-01-01 12:00:00+02'"],
  ['ms', "TIMESTAMP '2024-01-01 12:00:00.1239'"],
  ['ms', "'2024-01-01 12:00:00.1239'"],
  ['z', "'2024-01-01 12:00:00.1234567+00'"],
  ['l', '[1, 1.7]'],
  ['o', "{'x y': TIMESTAMP '2024-01-01 12:00:00'}"],
  ['k', "MAP {'a': 1.5}"],
];

const keptValues: readonly (readonly [column: string, value: string])[] = [
  ['i', '2.0'],
  ['i', "' 1.0'"],
  ['i', "'1e5'"],
  ['i', "'0x1E'"],
  ['i', '-2147483648'],
  ['b', '1'],
  ['b', "'yes'"],
  ['p', '1.5::DOUBLE'],
  ['p', '0.1::DOUBLE'],
  ['p', "'1.230'"],
  ['p', "'123e-2'"],
  ['f', '0.1'],
  ['f', '16777216'],
  ['g', '0.1'],
  ['g', '3.14159265358979323846'],
  ['g', "'nan'::DOUBLE"],
  ['day', "TIMESTAMP '2024-01-01 00:00:00'"],
  ['day', "'2024-1-1'"],
  ['day', "'infinity'"],
  ['t', "'12:00'"],
  ['t', "TIME '12:00:00.123456'"],
  ['m', "TIMESTAMPTZ '2024-01-01 12:00:00+00'"],
  ['m', "DATE '2024-01-01'"],
  ['m', "'2024-01-01 12:00:00.1234560'"],
  ['m', "'2024-01-01T12:00:00Z'"],
  ['ms', "TIMESTAMP '2024-01-01 12:00:00.123'"],
  ['z', "'2024-01-01 12:00:00.123456+02'"],
  ['z', "TIMESTAMP '2024-01-01 12:00:00'"],
  ['l', "[1, NULL, 2.0, '3']"],
  ['l', "'[1, 2]'"],
  ['o', "{'x y': TIMESTAMP '2024-01-01 00:00:00'}"],
  ['k', "MAP {'a': 1.0}"],
  ['v', '1.5'],
  ['i', 'NULL'],
];

test('INSERT refuses values that the type of a column would change, naming both', async () => {
  for (const [name, value] of changedValues)
    for (const rows of [`VALUES (NULL), (${value})`, `SELECT ${value} FROM range(3)`]) {
      const sql = `INSERT INTO target (${name}) ${rows}`;
      const inserted = runStatement({ sql, options, insertInto: exactTarget });
      await assert.rejects(inserted, (error: FrameholdError) => {
        assert.equal(error.kind, 'sql_failed', `${sql}: ${error.message}`);
        assert.match(error.message, new RegExp(`^Column "${name}" is .* cannot hold .* exactly\\.$`), sql);
        assert.match(error.hint ?? '', /Nothing was inserted/);
        return true;
      });
    }
});

test('INSERT takes values of other types that are the same in the type of the column', async () => {
  const insert = async (sql: string) =>
    runStatement({ sql, options, insertInto: exactTarget }).catch((error: FrameholdError) =>
      assert.fail(`${sql}: ${error.message}`),
    );
  for (const [name, values] of Map.groupBy(keptValues, ([column]) => column))
    await insert(
      `INSERT INTO target (${name}) VALUES (DEFAULT), ${values.map(([, value]) => `(${value})`).join(', ')}`,
    );
  for (const [name, value] of keptValues)
    await insert(`INSERT INTO target (${name}) SELECT ${value} FROM range(2)`);
});

test('INSERT checks parameters as well, whatever they are', async () => {
  const insert = (rows: string, parameters: StatementParameters) =>
    runStatement({
      sql: `INSERT INTO target (i) ${rows}`,
      options,
      insertInto: exactTarget,
      parameters,
    });
  for (const rows of ['VALUES (?)', 'SELECT ?', 'SELECT ?::DOUBLE', "VALUES (1), (?), ('2')"]) {
    await assert.rejects(insert(rows, json([1.7])), /Column "i" is INTEGER, which cannot hold 1\.7 exactly/);
    await insert(rows, json([2]));
  }
});
