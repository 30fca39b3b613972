/** Which spans of time in a result are Arrow durations, known before the first row, and which stay intervals. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { nestedTypeText } from '../../../../src/arrow/schema/type-text.ts';
import { schemaOf } from '../../../../src/engine/duckdb/tables/table-view.ts';
import type { EngineTable } from '../../../../src/ports/engine.ts';
import { runPython } from '../../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../../support/temporary-folder.ts';
import { runStatement, sandboxOptions, transcodedTable } from '../statement-runs.ts';

const folder = temporaryFolder('durations');
after(() => removeFolder(folder));
const write = `
import sys
import pyarrow as pa
table = pa.table({
    "i": pa.array([1, 2, None]),
    "d": pa.array([-(2**63) + 2, 3_600_000_000, None], pa.duration("us")),
    "n": pa.array([1000, -(2**63) + 808, None], pa.duration("ns")),
    "s": pa.array([1, 90_000, None], pa.duration("s")),
    "l": pa.array([[1, None], [], None], pa.list_(pa.duration("ms"))),
    "m": pa.array([{"d": 5}, {"d": None}, None], pa.struct({"d": pa.duration("us")})),
    "t": pa.array([0, 86_400_000_000 * 400 + 1, None], pa.timestamp("us")),
    "z": pa.array([0, 1_700_000_000_000, None], pa.timestamp("ms", "Europe/Berlin")),
})
with pa.OSFile(f"{sys.argv[1]}/t.arrows", "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
    writer.write_table(table)
print("null")
`;
await runPython(['-c', write, folder], null);
const table = await transcodedTable('t', join(folder, 't.arrows'), folder);
const options = sandboxOptions(folder);

async function typesOf(sql: string, given: EngineTable = table): Promise<readonly string[]> {
  const { bound } = await runStatement({ sql, options, tables: [given] });
  return schemaOf(bound.schemaMessage).fields.map(nestedTypeText);
}

const durations = [
  ...['d', 'n', 's', 'l[1]', 'm.d', 't - t', 'z - z', '-n', 'n + s', 's - n', 's * 2', 's / 2'],
  ...['coalesce(n, s)', 'CASE WHEN i > 1 THEN n END', "n + INTERVAL '90 minutes'", 'n + INTERVAL 1 HOUR'],
  ...[
    'greatest(n, s)',
    'lag(s) OVER (ORDER BY i)',
    'max(s) OVER ()',
    '(SELECT max(s) FROM t)',
    'to_minutes(i)',
  ],
];

test('what is made of Duration columns, differences of instants and hours or less is a duration', async () => {
  const types = await typesOf(`SELECT ${durations.join(', ')} FROM t WHERE i = 2`);
  assert.deepEqual(Object.fromEntries(durations.map((sql, index) => [sql, types[index]])), {
    ...Object.fromEntries(durations.map((sql) => [sql, 'duration[us]'])),
  });
});

const intervals = [
  ...[
    "INTERVAL '1 day'",
    'INTERVAL 1 MONTH',
    'to_days(i)',
    'age(t, t)',
    'n + to_months(i)',
    'NULL::INTERVAL',
  ],
  ...['coalesce(n, INTERVAL 1 MONTH)', 'i::VARCHAR::INTERVAL + n', '$1::INTERVAL', 'normalized_interval(n)'],
];

test('every other span stays an interval', async () => {
  const sql = `SELECT ${intervals.join(', ')} FROM t WHERE false`;
  const parameters = { kind: 'json' as const, values: ['1 month'] };
  const { bound } = await runStatement({ sql, options, tables: [table], parameters });
  const types = schemaOf(bound.schemaMessage).fields.map(nestedTypeText);
  assert.deepEqual([...new Set(types)], ['interval[month-day-nano]']);
});

test('a duration stays one through every step of a statement', async () => {
  const statements = [
    'SELECT d FROM t UNION ALL SELECT s FROM t',
    'WITH a AS (SELECT s AS d FROM t) SELECT a.d FROM a JOIN t ON a.d = t.s ORDER BY a.d LIMIT 1',
    'SELECT s FROM t GROUP BY s HAVING count(*) > 0',
    'SELECT DISTINCT s FROM t',
    'SELECT max(t) - min(t) FROM t',
    'SELECT avg(s) FROM t',
    'SELECT arg_max(s, i) FROM t WHERE i > $1',
    'SELECT unnest(l) FROM t',
    'SELECT s FROM t SEMI JOIN (SELECT 1 AS i) u USING (i)',
    'SELECT u.s FROM (SELECT 1 AS i) v LEFT JOIN t u USING (i)',
    'SELECT s FROM t QUALIFY row_number() OVER (ORDER BY i) = 1',
    "SELECT x FROM (VALUES (INTERVAL '1 hour'), (NULL)) v(x)",
  ];
  for (const sql of statements) {
    const parameters = sql.includes('$1') ? { parameters: { kind: 'json' as const, values: [0] } } : {};
    const { bound } = await runStatement({ sql, options, tables: [table], ...parameters });
    const types = schemaOf(bound.schemaMessage).fields.map(nestedTypeText);
    assert.deepEqual(types, ['duration[us]'], sql);
  }
});

test('lists and structs of durations come back as such', async () => {
  const types = await typesOf('SELECT l, m, list(s), {a: s} FROM t GROUP BY ALL');
  assert.deepEqual(types, [
    'list<duration[us]>',
    'struct<"d": duration[us]>',
    'list<duration[us]>',
    'struct<"a": duration[us]>',
  ]);
});

test('a table without rows gives the same types', async () => {
  assert.deepEqual(await typesOf('SELECT d, n FROM t', { ...table, files: [] }), [
    'duration[us]',
    'duration[us]',
  ]);
});

test('the values are exact, from the first microsecond to the last', async () => {
  const sql =
    "SELECT d, n, s, l, t - TIMESTAMP '1970-01-01' AS u, (SELECT max(t) - min(t) FROM t) AS w FROM t ORDER BY i NULLS LAST";
  const { stream } = await runStatement({ sql, options, tables: [table] });
  writeFileSync(join(folder, 'out.arrows'), stream);
  const read = `
import json, sys
import pyarrow as pa
table = pa.ipc.open_stream(f"{sys.argv[1]}/out.arrows").read_all()
def plain(value):
    return None if not value.is_valid else [plain(each) for each in value.values] if hasattr(value, "values") else value.value
print(json.dumps([[str(plain(value)) for value in column] for column in table.columns]))
`;
  const whole = 86_400_000_000 * 400 + 1;
  assert.deepEqual(await runPython(['-c', read, folder], null), [
    ['-9223372036854775806', '3600000000', 'None'],
    ['1', '-9223372036854775', 'None'],
    ['1000000', '90000000000', 'None'],
    ['[1000, None]', '[]', 'None'],
    ['0', `${whole}`, 'None'],
    [`${whole}`, `${whole}`, `${whole}`],
  ]);
});
