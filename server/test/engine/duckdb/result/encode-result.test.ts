import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { runPython } from '../../../support/python.ts';
import { removeFolder, temporaryFolder } from '../../../support/temporary-folder.ts';
import { encodedStream } from './encoded-stream.ts';
import { expressions, statements } from './result-cases.ts';

const folder = temporaryFolder('encode-result');
after(() => removeFolder(folder));

const compare = `
import json, sys, warnings
import duckdb
import pyarrow as pa
warnings.simplefilter('ignore')
request = json.load(sys.stdin)
connection = duckdb.connect()
connection.execute("SET TimeZone = 'UTC'")
found = {}
for name, sql in request['cases'].items():
    expected = connection.execute(sql).fetch_arrow_table()
    try:
        got = pa.ipc.open_stream(request['folder'] + '/' + name).read_all()
        got.validate(full=True)
        if not got.schema.equals(expected.schema, check_metadata=True):
            found[name] = 'schema ' + got.schema.to_string() + ' instead of ' + expected.schema.to_string()
        elif got.num_rows != expected.num_rows:
            found[name] = f'{got.num_rows} rows instead of {expected.num_rows}'
        elif not got.combine_chunks().equals(expected.combine_chunks()):
            a, b = got.to_pylist(), expected.to_pylist()
            where = next((i for i in range(len(a)) if a[i] != b[i]), None)
            found[name] = 'values' if where is None else f'row {where}: {str(a[where])[:300]} instead of {str(b[where])[:300]}'
    except Exception as failure:
        found[name] = repr(failure)[:500]
print(json.dumps(found))
`;

/** Names of the cases whose encoded rows are another table than the same engine gives in Python, and how. */
async function differences(cases: Readonly<Record<string, string>>): Promise<unknown> {
  const failures: Record<string, string> = {};
  for (const [name, sql] of Object.entries(cases)) {
    try {
      writeFileSync(join(folder, name), (await encodedStream(sql)).bytes);
    } catch (thrown) {
      failures[name] = String(thrown);
    }
  }
  assert.deepEqual(failures, {});
  return await runPython(['-c', compare], { folder, cases });
}

/** The engine has no CASE over arrays; `statements` has nulls among them. */
const withoutArrays = ([name]: readonly [string, string]): boolean => !name.startsWith('array');

const over = (rows: number, wrap: (expression: string) => string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(expressions).map(([name, expression]) => [
      name,
      `SELECT ${wrap(expression)} AS v, i FROM range(${rows}) t(i)`,
    ]),
  );

test('every type comes out as the table that the same engine gives in Python', async () => {
  assert.deepEqual(await differences(over(5, (expression) => expression)), {});
});

test('so it does over several chunks, the last of them short', async () => {
  assert.deepEqual(await differences(over(5000, (expression) => expression)), {});
});

test('so it does with nulls', async () => {
  const cases = over(4500, (expression) => `CASE WHEN i % 5 <> 2 THEN ${expression} END`);
  assert.deepEqual(await differences(Object.fromEntries(Object.entries(cases).filter(withoutArrays))), {});
});

test('so it does if all are null', async () => {
  assert.deepEqual(await differences(over(10, (expression) => `CASE WHEN i < 0 THEN ${expression} END`)), {});
});

test('so it does inside lists, and in rows that a filter has left', async () => {
  const cases = over(3000, (expression) => `[${expression}, NULL]`);
  for (const [name, sql] of Object.entries(cases)) cases[name] = `${sql} WHERE i % 3 = 1`;
  assert.deepEqual(await differences(cases), {});
});

test('so it does for the shapes of vectors that joins, sorting and grouping make', async () => {
  assert.deepEqual(await differences(statements), {});
});

test('so it does over batches that follow each other in the same memory', async () => {
  const cases = {
    // Batches end between chunks.
    short: 'SELECT i, (i % 7)::TINYINT AS b, (i % 1000)::VARCHAR AS t FROM range(500000) t(i)',
    nulls:
      "SELECT CASE WHEN i % 70000 > 30000 THEN i END AS n, CASE WHEN i % 3 > 0 THEN left('abcdefghijkl', (i % 13)::INTEGER) END AS t FROM range(500000) t(i)",
    // They end inside of a chunk, which the next encoders have to load again.
    long: "SELECT i, i::VARCHAR AS s, CASE WHEN i % 5 > 0 THEN repeat('x' || i, (i % 700)::INTEGER) END AS t FROM range(20000) t(i)",
    lists:
      "SELECT i, range(i % 300) AS l, [i::VARCHAR, NULL, 'longer than its slot ' || i] AS t FROM range(30000) t(i)",
    mixed:
      "SELECT i, CASE WHEN (i // 5000) % 2 = 0 THEN i::VARCHAR ELSE 'a text that is long, number ' || i END AS t FROM range(300000) t(i)",
  };
  assert.deepEqual(await differences(cases), {});
});
