/** Parquet of pyarrow, DuckDB and polars, with random options, is read as pyarrow reads it. `DIFFERENTIAL_PARQUET` tables from `DIFFERENTIAL_SEED` on. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { assertProblem, getText } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { runPython } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const script = join(import.meta.dirname, 'parquet_uploads.py');
const seed = Number(process.env.DIFFERENTIAL_SEED ?? 1);
const tables = Number(process.env.DIFFERENTIAL_PARQUET ?? 40);
/** By three writers each, column by column and then as a whole. */
const timeoutMs = 120_000 + tables * 10_000;

const folder = temporaryFolder('parquet-uploads');
let framehold: Framehold;
before(async () => {
  framehold = await Framehold.start();
});
after(async () => {
  await framehold?.remove();
  removeFolder(folder);
});

test('Parquet of other writers is read as it was written', async (t) => {
  const request = { http: framehold.url, grpc: framehold.grpcUrl, folder, seeds: [seed, tables] };
  const { faults, compared } = (await runPython([script], request, timeoutMs)) as {
    readonly faults: readonly string[];
    readonly compared: Readonly<Record<string, number>>;
  };
  t.diagnostic(JSON.stringify(compared));
  assert.equal(faults.length, 0, faults.join('\n'));
  for (const writer of ['pyarrow', 'DuckDB', 'polars'])
    assert.ok((compared[writer] ?? 0) >= tables / 2, `${compared[writer]} files of ${writer}`);
});

test("the months of DuckDB's intervals are not lost: such a file is refused, with its column", async () => {
  const path = join(folder, 'intervals.parquet');
  const write = `
import duckdb, json, sys
path = json.load(sys.stdin)
duckdb.execute(f"COPY (SELECT 1 AS n, {{'gap': INTERVAL '2 months 3 days'}} AS s) TO '{path}'")
print('null')
`;
  await runPython(['-c', write], path);
  const answer = await getText(`${framehold.url}/v1/frames/intervals`, {
    method: 'PUT',
    headers: { 'content-type': 'application/vnd.apache.parquet' },
    body: readFileSync(path),
  });
  assertProblem(answer, 400, 'bad_body');
  assert.match(answer.text, /Column .*s.* has intervals/);
});
