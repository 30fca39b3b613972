import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mixedLoad } from '../../bench/load/mixed-load.ts';
import { serverCommand } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import { machinePace } from '../../server/test/support/machine-pace.ts';

/** An hour of it is `npm run soak`. */
const seconds = inLongRun(300, 10);
/** A thread that ends a little later, a connection that is kept: what a leak shows in minutes is far more. */
const descriptorsMore = 12;
/** V8 gives memory back late, and the allocator keeps some of it; a leak of 10 kB a request would be several times as much. */
const megabytesFactor = 1.25;
const megabytesMore = 100;

test(`${seconds} seconds of mixed work over HTTP and Flight: nothing fails, and what it took is given back`, {
  timeout: 590_000,
}, async (t) => {
  const report = await mixedLoad(seconds, 1_000, { command: serverCommand });
  t.diagnostic(JSON.stringify({ counts: report.counts, flatness: report.flatness, rests: report.rests }));
  assert.deepEqual(report.failures, []);
  assert.equal(report.counts.failed, 0);
  assert.ok(report.counts.done > (seconds * 2.5) / machinePace(), `${report.counts.done} requests done`);
  assert.equal(report.figures.ping.lost, 0);
  const [first, last] = report.rests;
  assert.ok(first !== undefined && last !== undefined);
  for (const rest of report.rests) assert.equal(rest.temporaryFiles, 0, JSON.stringify(rest));
  assert.ok(last.descriptors <= first.descriptors + descriptorsMore, JSON.stringify(report.rests));
  assert.ok(
    last.residentMegabytes <= first.residentMegabytes * megabytesFactor + megabytesMore,
    JSON.stringify(report.rests),
  );
});
