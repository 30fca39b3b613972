import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { exec, send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const mayMount = process.getuid?.() === 0;

test('a full disk is 507 / RESOURCE_EXHAUSTED; what was held is still served', {
  skip: mayMount ? false : 'needs root to mount a small disk',
}, async (t) => {
  const home = temporaryFolder('small-disk');
  const data = join(home, 'data');
  mkdirSync(data);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', data]);
  const framehold = await Framehold.start({
    home,
    flags: ['--transcode-threads', '0', '--storage-reserve-bytes', '1MiB'],
  });
  t.after(async () => {
    await framehold.stop();
    execFileSync('umount', [data]);
    removeFolder(home);
  });
  const { small, large } = await arrowBytes({
    small: `pa.table({'n': pa.array([1], pa.int64())})`,
    large: `pa.table({'n': pa.array(np.arange(5_000_000), pa.int64())})`,
  });
  await send(framehold.url, '/v1/frames/small', small, { status: 201 });
  const answer = await send(framehold.url, '/v1/frames/large', large);
  assert.equal(answer.status, 507, JSON.stringify(answer.json));
  assert.equal(answer.json.code, 'disk_full');
  const failure = (await flightPython(
    framehold.grpcUrl,
    `result = fails(lambda: put(by_path('large'), pa.table({'n': pa.array(range(5_000_000), pa.int64())})))`,
  )) as { text: string };
  assert.match(failure.text, /disk|room/i);
  // The room was given back, and the server goes on.
  assert.equal(JSON.parse((await exec(framehold.url, { handle: 'small', fmt: 'json' })).text).count, 1);
  await send(framehold.url, '/v1/frames/again', small, {
    status: 201,
    headers: { 'idempotency-key': randomBytes(4).toString('hex') },
  });
});
