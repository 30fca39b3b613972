/**
 * The 22 queries of TPC-H over held frames give what Python's DuckDB gives over the same Parquet files. `npm run test:long`
 * runs them at scale factor 1, the benchmark's smallest; the tests of every change at a tenth of it.
 */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { runPython } from '../../server/test/support/python.ts';
import { partsFolder } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const scale = inLongRun(1, 0.02);
const python = join(import.meta.dirname, '..', 'python');
/** Putting, transcoding and 88 runs; a minute at a tenth on a busy machine. */
const timeoutMs = 1_200_000;
const queryNumbers = Array.from({ length: 22 }, (_, index) => String(index + 1));

interface Report {
  readonly faults: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly rows: Readonly<Record<string, number>>;
  readonly seconds: Readonly<Record<string, number>>;
}

const run = promisify(execFile);
const folder = temporaryFolder('tpch');
let framehold: Framehold;
let report: Report;

before(async () => {
  const generator = join(partsFolder, 'venv', 'bin', 'tpchgen-cli');
  await run(generator, ['parquet', '-s', String(scale), `--output-dir=${folder}`]);
  const texts = await run(join(partsFolder, 'tpch', 'bin', 'python'), [join(python, 'tpch_texts.py')]);
  framehold = await Framehold.start();
  const request = {
    http: framehold.url,
    grpc: framehold.grpcUrl,
    folder,
    queries: JSON.parse(texts.stdout) as Record<string, string>,
  };
  report = (await runPython([join(python, 'tpch.py')], request, timeoutMs)) as Report;
});
after(async () => {
  await framehold?.remove();
  removeFolder(folder);
});

test('the tables have the rows that their scale says', () => {
  assert.equal(Object.keys(report.rows).length, 8);
  assert.equal(report.rows.orders, 1_500_000 * scale);
  assert.equal(report.rows.nation, 25);
});

for (const number of queryNumbers)
  test(`query ${number} is equal`, (t) => {
    t.diagnostic(
      `${report.seconds[`framehold ${number}`]?.toFixed(2)} s, DuckDB alone ${report.seconds[`duckdb ${number}`]?.toFixed(2)} s`,
    );
    assert.deepEqual(report.faults[number], {});
  });

test('there are exactly 22 queries', () => {
  assert.deepEqual(Object.keys(report.faults), queryNumbers);
});
