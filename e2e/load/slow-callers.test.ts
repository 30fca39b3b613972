import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowCrowd } from '../../bench/load/slow-crowd.ts';
import { serverCommand } from '../../server/test/support/framehold-process.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';

/** The whole of it is `npm run bench:slow`. */
const crowd = { httpReaders: 40, flightReaders: 10, flightUploads: 5, httpUploads: 5, seconds: 10 };
const growthAllowed = 1.1;
const growthAllowedMegabytes = 48;
/** The promise is one second; the tests share their processors with others. */
const freedAllowedMs = 3_000;

test('slow callers of every kind: all are served, memory stays, and what they held is free when they leave', {
  timeout: 900_000,
}, async () => {
  const { memory, during, after, freedMs, ended, figures } = await slowCrowd(crowd, {
    command: serverCommand,
  });
  assert.equal(ended, 0, 'no call ended before its time');
  assert.deepEqual([during.reads, during.puts, during.stagedFiles], [50, 10, 10]);
  assert.ok(memory.late <= memory.early * growthAllowed + growthAllowedMegabytes, JSON.stringify(memory));
  assert.deepEqual(
    [after.reads, after.puts, after.stagedFiles, after.leasedObjects, after.jobs],
    [0, 0, 0, 0, 0],
  );
  assertTook(freedMs, freedAllowedMs, 'to free what they held');
  assert.equal(figures.ping.lost, 0);
});
