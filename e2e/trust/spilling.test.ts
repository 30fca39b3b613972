/** Statements that write temporary files until the disk is full leave the reserve to the others. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { timePasses } from '../../server/test/support/passing-time.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const mayMount = process.getuid?.() === 0;
const MiB = 1024 ** 2;
const reserve = 32 * MiB;
/** Sorts some 250 MB with 64 MiB of memory. */
const spills =
  'select count(*) from (select hash(range) h, range n from range(16000000) order by h offset 1)';

test('temporary files of statements leave the reserve of the disk alone', {
  skip: mayMount ? false : 'needs root to mount a small disk',
}, async (t) => {
  const home = temporaryFolder('spilling');
  const data = join(home, 'data');
  mkdirSync(data);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=160m', 'tmpfs', data]);
  const framehold = await Framehold.start({
    home,
    flags: ['--storage-reserve-bytes', String(reserve), '--sql-memory-bytes-max', '64MiB'],
  });
  t.after(async () => {
    await framehold.stop();
    execFileSync('umount', [data]);
    removeFolder(home);
  });
  const { tiny } = await arrowBytes({ tiny: `pa.table({'n': pa.array([1], pa.int64())})` });
  const free = () => statfsSync(data).bavail * statfsSync(data).bsize;
  let least = free();
  const began = least;
  const timer = setInterval(() => {
    least = Math.min(least, free());
  }, 5);
  t.after(() => clearInterval(timer));

  async function run(count: number): Promise<readonly Record<string, unknown>[]> {
    const answers = Array.from({ length: count }, async () => {
      const answer = await fetch(`${framehold.url}/v1/sql`, {
        method: 'POST',
        headers: { 'content-type': 'application/sql' },
        body: spills,
      });
      return { status: answer.status, ...((await answer.json()) as Record<string, unknown>) };
    });
    return await Promise.all(answers);
  }

  for (const count of [1, 2]) {
    await t.test(`${count} at once`, async () => {
      least = free();
      let puts = 0;
      const answers = run(count);
      let isOver = false;
      answers.finally(() => {
        isOver = true;
      });
      // Others put meanwhile.
      while (!isOver) {
        await send(framehold.url, `/v1/frames/while${count}_${puts++}`, tiny, { status: 201 });
        await timePasses(50, 'the pace of the puts');
      }
      for (const { status, code, hint } of await answers) {
        assert.deepEqual([status, code], [507, 'disk_full']);
        assert.match(String(hint), /storage\.reserve_bytes/);
      }
      t.diagnostic(`${count}: ${began} bytes were free, ${least} at least, ${puts} puts meanwhile`);
      assert.ok(least < began - 64 * MiB, 'the statements wrote nothing');
      assert.ok(least >= reserve, `only ${least} bytes were free`);
    });
  }

  await t.test('and their files are gone afterwards', async () => {
    await framehold.until('room again', () => (free() > began - 32 * MiB ? true : null));
    const left = readdirSync(join(data, 'sql-tmp'), { recursive: true }).filter((each) =>
      String(each).includes('duckdb_temp'),
    );
    assert.deepEqual(left, []);
  });
});
