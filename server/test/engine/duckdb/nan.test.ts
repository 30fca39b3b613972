/** NaN is the largest number in DuckDB. Statistics of Parquet files leave it out, and statements must not notice. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import type { EngineTable } from '../../../src/ports/engine.ts';
import { decodeStream } from '../../arrow/stream-bytes.ts';
import { runPython } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { runStatement, sandboxOptions, transcodedTable } from './statement-runs.ts';

const folder = temporaryFolder('nan');
after(() => removeFolder(folder));
const script = `
import json, sys
import duckdb
import pyarrow as pa

folder, conditions = json.load(sys.stdin)
nan = float("nan")
values = [1.0, 1.0, nan, None]
held = pa.table({
    "double": values,
    "single": pa.array(values, pa.float32()),
    "inside": [{"x": value, "y": {"z": value}} for value in values],
    "listed": [[value] for value in values],
    "fixed": pa.array([[value] for value in values], pa.list_(pa.float64(), 1)),
    "mapped": pa.array([[("k", value)] for value in values], pa.map_(pa.string(), pa.float64())),
    "deep": [{"x": [{"y": value}]} for value in values],
    "coded": pa.array(values).dictionary_encode(),
})
with pa.OSFile(folder + "/held.arrows", "wb") as file, pa.ipc.new_stream(file, held.schema) as stream:
    stream.write_table(held)
duckdb.sql("CREATE TABLE held AS FROM held")
json.dump([duckdb.sql(f"SELECT count(*) FROM held WHERE {each}").fetchone()[0] for each in conditions], sys.stdout)
`;
const operands = [
  'double',
  'single',
  'inside.x',
  'inside.y.z',
  'listed[1]',
  'fixed[1]',
  "mapped['k']",
  'deep.x[1].y',
  'coded',
];
const conditions = operands.flatMap((operand) => [
  `${operand} > 5`,
  `${operand} >= 1`,
  `${operand} < 5`,
  `${operand} = 1`,
  `${operand} <> 1`,
  `${operand} = 'nan'`,
  `${operand} IN (2, 'nan')`,
  `${operand} IS DISTINCT FROM 1`,
  `${operand} BETWEEN 0 AND 5`,
  `${operand} = (SELECT max(${operand}) FROM held)`,
]);

async function read(table: EngineTable, sql: string): Promise<Uint8Array> {
  return (await runStatement({ sql, options: sandboxOptions(folder), tables: [table] })).stream;
}

async function countWhere(table: EngineTable, condition: string): Promise<number> {
  const stream = await read(table, `SELECT count(*)::INTEGER FROM ${table.name} WHERE ${condition}`);
  const { batches } = await decodeStream(stream);
  const [values] = batches[0]?.columns[0]?.buffers ?? [];
  return Buffer.from(values ?? []).readInt32LE();
}

test('comparisons count what DuckDB counts in a table of its own', async () => {
  const expected = (await runPython(['-c', script], [folder, conditions])) as number[];
  const table = await transcodedTable('held', join(folder, 'held.arrows'), folder);
  const counted: number[] = [];
  for (const condition of conditions) {
    counted.push(await countWhere(table, condition));
  }
  const both = (counts: readonly number[]) => counts.map((count, index) => `${conditions[index]}: ${count}`);
  assert.deepEqual(both(counted), both(expected));
});

const notedScript = `
import json, sys
import duckdb
import numpy as np
import pyarrow as pa

folder, conditions = json.load(sys.stdin)
nan = float("nan")
# The row that is null has NaN beneath.
hidden = pa.Array.from_buffers(pa.float64(), 4, [pa.py_buffer(bytes([0b1011])), pa.py_buffer(np.array([1, 7, nan, -0.0]))])
columns = {
    "clean": hidden,
    "dirty": pa.array([1.0, 7.0, nan, -0.0]),
    "forged": pa.array([1.0, 7.0, nan, -0.0]),
}
parts = {
    name: pa.table({"x": column, "y": column.cast(pa.float32())}, metadata={"framehold:without-nan": "[0, 1]"} if name == "forged" else None)
    for name, column in columns.items()
}
tables = {**parts, "joined": pa.concat_tables([parts["clean"], parts["dirty"].replace_schema_metadata(None)])}
for name, table in parts.items():
    with pa.OSFile(f"{folder}/{name}.arrows", "wb") as file, pa.ipc.new_stream(file, table.schema) as stream:
        stream.write_table(table)
counts = {}
for name, given in tables.items():
    duckdb.sql("CREATE OR REPLACE TABLE held AS FROM given")
    counts[name] = [duckdb.sql(f"SELECT count(*) FROM held WHERE {each}").fetchone()[0] for each in conditions]
json.dump(counts, sys.stdout)
`;

test('statistics of a column are used if transcoding has seen no NaN in any file, whatever the frame says of itself', async () => {
  const asked = ['x', 'y'].flatMap((column) => [
    `${column} > 8`,
    `${column} < 0`,
    `${column} = 0`,
    `${column} = 'nan'`,
    `${column} = 7`,
    `${column} IS NULL`,
  ]);
  const expected = (await runPython(['-c', notedScript], [folder, asked])) as Record<string, number[]>;
  const transcoded = async (name: string) =>
    await transcodedTable(name, join(folder, `${name}.arrows`), folder);
  const [clean, dirty, forged] = [
    await transcoded('clean'),
    await transcoded('dirty'),
    await transcoded('forged'),
  ];
  const both = { ...clean, name: 'joined', files: [...clean.files, ...dirty.files] };
  for (const table of [clean, dirty, forged, both]) {
    for (const [index, condition] of asked.entries()) {
      const counted = await countWhere(table, condition);
      assert.equal(counted, expected[table.name]?.[index], `${table.name}: ${condition}`);
    }
    const stream = await read(table, `SELECT stats(x) AS s FROM ${table.name} LIMIT 1`);
    const known = Buffer.from(stream).toString('latin1');
    assert.equal(/Max: 7/.test(known), table === clean, `${table.name}: ${/\[Min[^\]]*/.exec(known)?.[0]}`);
  }
});
