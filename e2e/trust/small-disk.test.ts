import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { catalogParts } from '../../server/test/support/catalog-file.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold, runFramehold } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const mayMount = process.getuid?.() === 0;
const MiB = 1024 ** 2;
const reserve = 8 * MiB;

test('a disk of 64 MB, filled by puts and by transcoding: refused with 507, all kept, and on again with room', {
  skip: mayMount ? false : 'needs root to mount a small disk',
}, async (t) => {
  const home = temporaryFolder('small-disk');
  const data = join(home, 'data');
  mkdirSync(data);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', data]);
  const flags = ['--storage-reserve-bytes', String(reserve), '--jobs-sweep-interval-ms', '200'];
  const framehold = await Framehold.start({ home, flags });
  t.after(async () => {
    await framehold.stop();
    execFileSync('umount', [data]);
    removeFolder(home);
  });
  const free = () => statfsSync(data).bavail * statfsSync(data).bsize;
  // Random, so that Parquet is not smaller; 4 MB each.
  const { frame, tiny } = await arrowBytes({
    frame: `pa.table({'n': pa.array(np.random.default_rng(1).integers(0, 2**62, 500_000), pa.int64())})`,
    tiny: `pa.table({'n': pa.array([1], pa.int64())})`,
  });

  const held: string[] = [];
  await t.test('puts are refused before the reserve is used up', async () => {
    for (let index = 0; ; index++) {
      const answer = await send(framehold.url, `/v1/frames/f${index}`, frame);
      if (answer.status !== 201) {
        assert.deepEqual([answer.status, answer.json.code], [507, 'disk_full'], JSON.stringify(answer.json));
        break;
      }
      held.push(`f${index}`);
      assert.ok(index < 20, 'the disk is never full');
    }
    assert.ok(held.length >= 3, `only ${held.length} fitted`);
    // Without a Content-Length nothing is known before the bytes come.
    const chunked = await fetch(`${framehold.url}/v1/frames/chunked`, {
      method: 'PUT',
      headers: { 'content-type': 'application/vnd.apache.arrow.stream' },
      body: ReadableStream.from([frame.subarray(0, 1_000_000), frame.subarray(1_000_000)]),
      duplex: 'half',
    } as RequestInit);
    assert.equal(chunked.status, 507, await chunked.text());
    const csv = await send(framehold.url, '/v1/frames/csv', `n\n${'1234567890123456789\n'.repeat(300_000)}`, {
      type: 'text/csv',
    });
    assert.equal(csv.status, 507, JSON.stringify(csv.json));
  });

  await t.test('transcoding waits, and nothing is recorded against the parts', async () => {
    await framehold.until('transcoding waits', () =>
      framehold.lines.some((line) => line.includes('"settle-paused"')) ? true : null,
    );
    const parts = catalogParts(data);
    assert.ok(parts.some(({ parquet }) => parquet === 'none'));
    assert.deepEqual(
      parts.filter(({ refusal }) => refusal !== null),
      [],
    );
    assert.ok(free() > reserve / 2, `${free()} bytes are free`);
  });

  await t.test('everything acknowledged is readable, and the server is ready', async () => {
    for (const name of held) {
      const answer = await fetch(`${framehold.url}/v1/frames/${name}/rows?fmt=arrow`);
      assert.equal(answer.status, 200);
      assert.deepEqual(
        Buffer.from(await answer.arrayBuffer()).subarray(-4_000_000),
        frame.subarray(-4_000_000),
      );
    }
    assert.equal((await getText(`${framehold.url}/readyz`)).status, 200);
    assert.match((await getText(`${framehold.url}/metrics`)).text, /framehold_disk_free_bytes \d{4,}/);
  });

  await t.test('a restart on the full disk serves the same', async () => {
    await framehold.kill();
    await framehold.start();
    for (const name of held)
      assert.equal(
        (await getText(`${framehold.url}/v1/frames/${name}/rows?fmt=json&limit=1`)).status,
        200,
        name,
      );
  });

  await t.test('dropped frames make room: puts succeed and transcoding goes on', async () => {
    for (const name of held.slice(2)) {
      const dropped = await fetch(`${framehold.url}/v1/frames/${name}`, { method: 'DELETE' });
      assert.equal(dropped.status, 204, await dropped.text());
    }
    await framehold.until('room', async () => {
      const answer = await send(framehold.url, '/v1/frames/again', tiny);
      return answer.status < 300 ? true : null;
    });
    await framehold.until('every part transcoded', () =>
      catalogParts(data).every(({ parquet }) => parquet !== 'none') ? true : null,
    );
  });

  await t.test('nothing was damaged by it', async () => {
    await framehold.stop();
    const verified = await runFramehold(['verify', '--data-dir', data]);
    assert.equal(verified.code, 0, verified.output);
    await framehold.start();
  });
});
