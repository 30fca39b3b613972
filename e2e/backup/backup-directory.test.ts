/** What a directory of backups holds, what may be restored where, and what happens to damaged files. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { objectFiles } from '../../server/test/support/catalog-file.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold, runFramehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { flipBit, objectPath, objectsOf } from '../../server/test/support/stored-objects.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { backUp, killedAtObject, restore } from './backup-command.ts';

let server: Framehold;
let token: string;
let folder: string;
before(async () => {
  server = Framehold.prepare({
    // One object for each frame, whenever a test looks.
    env: {
      FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '100',
      FRAMEHOLD_FRAMES_UNDROP_HOURS: '0',
      FRAMEHOLD_TRANSCODE_THREADS: '0',
    },
  });
  token = newToken(server.dataDirectory, 'acme', 'read,write');
  await server.start();
});
after(async () => await server.remove());
beforeEach((context) => {
  folder = temporaryFolder('backups');
  if ('after' in context) context.after(() => removeFolder(folder));
});

async function put(name: string, rows = 5_000): Promise<void> {
  const body = `n\n${Array.from({ length: rows }, (_, index) => `${index}`).join('\n')}\n`;
  const headers = { authorization: `Bearer ${token}` };
  await send(server.url, `/v1/frames/${name}`, body, { type: 'text/csv', headers, status: 201 });
}

async function drop(name: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${server.url}/v1/frames/${name}`, { method: 'DELETE', headers });
  assert.ok(answer.ok);
}

async function list(directory: string): Promise<{ id: string; copiedObjects: number; bytes: number }[]> {
  const { code, output, lines } = await runFramehold(['backup', 'list', directory, '--json']);
  assert.equal(code, 0, output);
  return JSON.parse(lines.at(-1) ?? '').backups;
}

test('a second backup copies what is new; --keep removes old ones and the objects that only they have', async () => {
  const directory = join(folder, 'backups');
  await put('first');
  const first = await backUp(server, directory);
  assert.deepEqual([first.objects, first.copiedObjects], [1, 1]);
  await drop('first');
  await put('second');
  const second = await backUp(server, directory);
  assert.deepEqual([second.objects, second.copiedObjects], [1, 1]);
  const third = await backUp(server, directory);
  assert.deepEqual([third.objects, third.copiedObjects], [1, 0]);
  assert.deepEqual(
    (await list(directory)).map(({ id }) => id),
    [first.id, second.id, third.id],
  );
  assert.equal(objectFiles(directory).keys.length, 2);
  const last = await backUp(server, directory, '--keep', '1');
  assert.deepEqual(last.removed, [first.id, second.id, third.id]);
  assert.deepEqual(
    (await list(directory)).map(({ id }) => id),
    [last.id],
  );
  assert.deepEqual(objectFiles(directory).keys, objectsOf(server.dataDirectory, 'second').arrow);
  assert.equal((await runFramehold(['backup', 'verify', directory])).code, 0);
  const gone = await restore(directory, join(folder, 'data'), '--at', first.id);
  assert.equal(gone.code, 1);
  assert.match(gone.output, /has no backup/);
  await drop('second');
});

test('a restored server has the same tokens, and its files are for nobody else', async () => {
  await put('kept');
  const directory = join(folder, 'backups');
  await backUp(server, directory);
  for (const file of ['catalog.sqlite', 'credentials.sqlite', 'links.key', 'manifest.json']) {
    const [id = ''] = readdirSync(join(directory, 'backups'));
    assert.equal(statSync(join(directory, 'backups', id, file)).mode & 0o077, 0, file);
  }
  const home = join(folder, 'home');
  mkdirSync(home);
  assert.equal((await restore(directory, join(home, 'data'))).code, 0);
  const restored = await Framehold.start({ home });
  try {
    const url = `${restored.url}/exp?handle=kept&fmt=csv`;
    assert.equal((await getText(url)).status, 401);
    const { status, text } = await getText(url, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(status, 200);
    assert.equal(text.trim().split('\n').length, 5_001);
    assert.equal(statSync(join(restored.dataDirectory, 'links.key')).mode & 0o077, 0);
    // It can be backed up into the same directory, and counts on its own.
    const own = await backUp(restored, directory, '--keep', '1');
    assert.deepEqual(own.removed, []);
    // Its server may have added a form of its own.
    assert.ok(own.copiedObjects < own.objects);
    const unclear = await restore(directory, join(folder, 'unclear'));
    assert.match(unclear.output, /backups of several data directories.*--at/);
  } finally {
    await restored.stop();
  }
  await drop('kept');
});

test('a restore refuses a directory that is in use or not empty, and what is not a directory of backups', async () => {
  const directory = join(folder, 'backups');
  await backUp(server, directory);
  const used = await restore(directory, server.dataDirectory);
  assert.equal(used.code, 1);
  assert.match(used.output, /is not empty/);
  writeFileSync(join(folder, 'file'), 'mine');
  assert.match((await restore(directory, folder)).output, /is not empty/);
  assert.match((await restore(folder, join(folder, 'new'))).output, /is not a directory of backups/);
  const wrong = await runFramehold(['backup', folder, '--data-dir', server.dataDirectory]);
  assert.match(wrong.output, /is not empty and is not a directory of backups/);
  const served = await runFramehold(['server', '--data-dir', directory]);
  assert.equal(served.code, 1);
  assert.match(served.output, /is a directory of backups/);
});

test('no server starts on what a killed restore has left, and the same restore continues', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `part${index}`);
  for (const name of names) await put(name);
  const directory = join(folder, 'backups');
  await backUp(server, directory);
  const data = join(folder, 'data');
  await killedAtObject(6, {}, 'restore', directory, '--data-dir', data);
  assert.ok(existsSync(join(data, 'unfinished.json')), 'it was killed in the middle');
  const served = await runFramehold(['server', '--data-dir', data]);
  assert.equal(served.code, 1);
  assert.match(served.output, /is not complete.*framehold restore/);
  const again = await restore(directory, data);
  assert.equal(again.code, 0, again.output);
  const verified = await runFramehold(['verify', '--data-dir', data]);
  assert.equal(verified.code, 0, verified.output);
  for (const name of names) await drop(name);
});

test('damaged objects are named by backup, by verify and by restore, and the others are there', async () => {
  await put('sound');
  await put('damaged');
  const directory = join(folder, 'backups');
  const [key = ''] = objectsOf(server.dataDirectory, 'damaged').arrow;
  flipBit(objectPath(server.dataDirectory, key), 0.5);
  const { code, output } = await runFramehold(['backup', directory, '--data-dir', server.dataDirectory]);
  assert.equal(code, 1, output);
  assert.match(output, new RegExp(`corrupt: ${key}: its SHA-256 is`));
  assert.equal((await runFramehold(['backup', 'verify', directory])).code, 0);
  flipBit(objectPath(server.dataDirectory, key), 0.5);
  await backUp(server, directory, '--keep', '1');

  const [sound = ''] = objectsOf(server.dataDirectory, 'sound').arrow;
  flipBit(objectPath(directory, sound), 0.5);
  const found = await runFramehold(['backup', 'verify', directory]);
  assert.equal(found.code, 1);
  assert.match(found.output, new RegExp(`corrupt: ${sound}`));
  const partly = await restore(directory, join(folder, 'data'));
  assert.equal(partly.code, 1);
  assert.match(partly.output, new RegExp(`corrupt: ${sound}`));
  const verified = await runFramehold(['verify', '--data-dir', join(folder, 'data')]);
  assert.match(verified.output, /acme\/sound@1/);
  assert.doesNotMatch(verified.output, /^(corrupt|missing): .*acme\/damaged@1/m);
  const [id = ''] = readdirSync(join(directory, 'backups'));
  flipBit(join(directory, 'backups', id, 'catalog.sqlite'), 0.5);
  const refused = await restore(directory, join(folder, 'other'));
  assert.equal(refused.code, 1);
  assert.match(refused.output, /catalog\.sqlite has changed since the backup was made/);
});
