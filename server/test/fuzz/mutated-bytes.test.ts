import assert from 'node:assert/strict';
import { it } from 'node:test';
import { inLongRun } from '../support/long-run.ts';
import { fuzz } from './fuzz-run.ts';
import type { TargetName } from './targets.ts';

/** The share of every run of the tests; `npm run fuzz:arrow` and the others run as many as one likes, with other seeds. */
const shares: Readonly<Record<TargetName, number>> = {
  arrow: inLongRun(100_000, 3_000),
  flight: inLongRun(100_000, 3_000),
  'arrow-file': inLongRun(5_000, 200),
  convert: inLongRun(10_000, 400),
  csv: inLongRun(5_000, 200),
  ndjson: inLongRun(5_000, 200),
  json: inLongRun(5_000, 150),
  parquet: inLongRun(5_000, 100),
};
const seed = 1;

for (const [target, count] of Object.entries(shares) as [TargetName, number][])
  it(`refuses or reads ${count} mutations of ${target}: no crash, no hang, no growth`, async (test) => {
    const report = await fuzz({ target, seed, count });
    const { accepted, refused, trapped, slowestMs } = report;
    test.diagnostic(`${accepted} accepted, ${refused} refused, ${trapped} trapped, slowest ${slowestMs} ms`);
    assert.deepEqual(report.findings, []);
    assert.equal(accepted + refused + trapped, count);
    // Mutations that are all refused, or all accepted, would show nothing.
    assert.ok(accepted > count / 50 && refused > count / 10, `${accepted} accepted, ${refused} refused`);
  });
