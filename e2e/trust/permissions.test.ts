/** Who may read what the server leaves on the disk: its own user, or its group too, and never anybody else. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { temporaryFolder } from '../../server/test/support/temporary-folder.ts';

/** Of everything below a directory, the directory included: path and mode. Sockets too. */
function modesBelow(path: string, name = '.'): [string, number][] {
  const stat = statSync(path);
  const own: [string, number] = [name, stat.mode & 0o777];
  if (!stat.isDirectory()) return [own];
  return [own, ...readdirSync(path).flatMap((child) => modesBelow(join(path, child), `${name}/${child}`))];
}

/** The umask of each child of a process: engines of SQL and decoders. */
function umasksOfChildren(pid: number): string[] {
  return readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry) => {
      try {
        const status = readFileSync(`/proc/${entry}/status`, 'utf8');
        const parent = /^PPid:\t(\d+)$/m.exec(status)?.[1];
        return parent === String(pid) ? [/^Umask:\t(\d+)$/m.exec(status)?.[1] ?? ''] : [];
      } catch {
        return [];
      }
    });
}

/** A server whose data directory somebody made beforehand, open to all, after it has held a frame and run a statement. */
async function used(permissions: 'private' | 'group'): Promise<Framehold> {
  const home = temporaryFolder('home');
  mkdirSync(join(home, 'data'));
  chmodSync(join(home, 'data'), 0o777);
  const framehold = await Framehold.start({
    home,
    env: {
      FRAMEHOLD_STORAGE_PERMISSIONS: permissions,
      FRAMEHOLD_GRPC_HOST: `unix:${join(home, 'grpc.sock')}`,
      FRAMEHOLD_DUCKDB_PATH: join(home, 'data', 'analytics.duckdb'),
    },
  });
  const put = { method: 'PUT', headers: { 'content-type': 'text/csv' }, body: 'n\n1\n2\n' };
  assert.equal((await fetch(`${framehold.url}/v1/frames/n`, put)).status, 201);
  assert.equal((await fetch(`${framehold.url}/v1/sql?query=select%20*%20from%20n`)).status, 200);
  return framehold;
}

test('private: nobody but the owner, also in a directory that was open before', async () => {
  const framehold = await used('private');
  try {
    const modes = modesBelow(framehold.dataDirectory);
    assert.ok(
      modes.some(([name]) => name.endsWith('.arrow')) && modes.some(([name]) => name.endsWith('.parquet')),
    );
    assert.deepEqual(
      modes.filter(([, mode]) => (mode & 0o077) !== 0),
      [],
    );
    assert.equal(statSync(join(framehold.home, 'grpc.sock')).mode & 0o777, 0o600);
    const umasks = umasksOfChildren(framehold.pid);
    assert.ok(umasks.length > 0 && umasks.every((umask) => umask === '0077'), umasks.join());
    const lines = await framehold.linesUntilNow();
    const line = lines.find((each) => each.includes('directory-mode-changed')) ?? '{}';
    const { path, before, after } = JSON.parse(line);
    assert.deepEqual([path, before, after], [framehold.dataDirectory, '777', '700']);
    await framehold.stop();
    await framehold.start();
    assert.ok(!(await framehold.linesUntilNow()).some((each) => each.includes('directory-mode-changed')));
  } finally {
    await framehold.remove();
  }
});

test('group: the group reads frames, and never credentials; nobody else reads anything', async () => {
  const framehold = await used('group');
  try {
    const modes = new Map(modesBelow(framehold.dataDirectory));
    for (const [name, mode] of modes) {
      assert.equal(mode & 0o027, 0, name);
      const isPrivate = /credentials\.sqlite|links\.key|sql-tmp/.test(name);
      const isDirectory = mode & 0o100;
      const readable = isDirectory ? 0o050 : 0o040;
      assert.equal(mode & 0o070, isPrivate ? 0 : readable, `${name} ${mode.toString(8)}`);
    }
    assert.equal(modes.get('.'), 0o750);
    assert.equal(statSync(join(framehold.home, 'grpc.sock')).mode & 0o777, 0o660);
    assert.ok(umasksOfChildren(framehold.pid).every((umask) => umask === '0027'));
  } finally {
    await framehold.remove();
  }
});
