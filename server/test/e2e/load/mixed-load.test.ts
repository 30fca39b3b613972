import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mixedLoad } from '../../../../bench/load/mixed-load.ts';
import { sourceCommand } from '../../parts/framehold-process.ts';

/** An hour of it is `npm run soak`. */
const seconds = 75;

test('mixed work over HTTP and Flight: nothing fails, and descriptors and temporary files stay', {
  timeout: 240_000,
}, async (t) => {
  const report = await mixedLoad(seconds, 1_000, { command: sourceCommand });
  t.diagnostic(JSON.stringify({ counts: report.counts, flatness: report.flatness }));
  assert.deepEqual(report.failures, []);
  assert.equal(report.counts.failed, 0);
  assert.ok(report.counts.done > 200, `${report.counts.done} requests done`);
  // Memory needs longer than this to settle: the hour looks at it.
  for (const each of report.flatness.filter(({ what }) => what !== 'residentMegabytes' && what !== 'objects'))
    assert.ok(each.flat, JSON.stringify(each));
  assert.equal(report.figures.ping.lost, 0);
});
