import assert from 'node:assert/strict';
import { test } from 'node:test';
import { largeFrame } from '../../bench/load/large-frame.ts';
import { serverCommand } from '../../server/test/support/framehold-process.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';

/** 10 GB is `npm run bench:large`. */
const gigabytes = inLongRun(1, 0.1);
/** Memory must not follow the size of the frame: what is allowed for 10 GB is allowed here. */
const memoryMegabytes = 1_000;

test(`a frame of ${gigabytes} GB over HTTP and Flight: equal values, bounded memory, /ping answered`, {
  timeout: 1_140_000,
}, async (t) => {
  const report = await largeFrame(gigabytes, { command: serverCommand }, (line) => t.diagnostic(line));
  assert.equal(report.hashes.length, 7);
  assert.equal(new Set(report.hashes).size, 1, 'every transfer has the same values');
  assert.ok(report.peakMegabytes < memoryMegabytes, `${report.peakMegabytes} MB`);
  for (const { phase, ping } of report.phases) assert.equal(ping.lost, 0, phase);
});
