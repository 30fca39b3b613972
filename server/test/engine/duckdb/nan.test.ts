/** NaN is the largest number in DuckDB. Statistics of Parquet files leave it out, and statements must not notice. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { decodeStream } from '../../arrow/stream-bytes.ts';
import { runPython } from '../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { runStatement, sandboxOptions, settledTable } from './statement-runs.ts';

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

test('comparisons count what DuckDB counts in a table of its own', async () => {
  const expected = (await runPython(['-c', script], [folder, conditions])) as number[];
  const table = await settledTable('held', join(folder, 'held.arrows'), folder);
  const counted: number[] = [];
  for (const condition of conditions) {
    const sql = `SELECT count(*)::INTEGER FROM held WHERE ${condition}`;
    const { stream } = await runStatement({ sql, options: sandboxOptions(folder), tables: [table] });
    const { batches } = await decodeStream(stream);
    const [values] = batches[0]?.columns[0]?.buffers ?? [];
    counted.push(Buffer.from(values ?? []).readInt32LE());
  }
  const both = (counts: readonly number[]) => counts.map((count, index) => `${conditions[index]}: ${count}`);
  assert.deepEqual(both(counted), both(expected));
});
