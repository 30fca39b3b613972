import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { socketPair } from '../../src/engine/socket-pair.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('socket-pair');
after(() => removeFolder(folder));

/** Sends bytes from the far end; gives what the near end received, and in how many pieces of memory. */
async function received(directory: string, sent: Buffer): Promise<{ all: Buffer; memory: number }> {
  const chunks: Buffer[] = [];
  const memory = new Set<ArrayBufferLike>();
  const { near, far } = await socketPair(directory, (bytes) => {
    memory.add(bytes.buffer);
    chunks.push(Buffer.from(bytes));
  });
  far.end(sent);
  await once(near, 'close');
  return { all: Buffer.concat(chunks), memory: memory.size };
}

test('all bytes come, through one piece of memory, and nothing is left in the directory', async () => {
  const directory = join(folder, 'plain');
  mkdirSync(directory);
  const sent = Buffer.alloc(3_000_000, 'bytes of a result');
  const { all, memory } = await received(directory, sent);
  assert.ok(all.equals(sent));
  assert.equal(memory, 1);
  assert.deepEqual(readdirSync(directory), []);
});

test('the near end writes to the far one', async () => {
  const { near, far } = await socketPair(folder, () => {});
  near.end('a statement');
  far.resume();
  const [chunk] = await once(far, 'data');
  assert.equal(String(chunk), 'a statement');
  far.destroy();
});

test('directories may have longer names than sockets', async () => {
  const directory = join(folder, 'n'.repeat(200));
  mkdirSync(directory);
  assert.equal(String((await received(directory, Buffer.from('far'))).all), 'far');
});

test('if a directory takes no sockets, another one is used', async () => {
  const directory = join(folder, 'refuses');
  mkdirSync(join(directory, 'link'), { recursive: true });
  assert.equal(String((await received(directory, Buffer.from('elsewhere'))).all), 'elsewhere');
  assert.deepEqual(readdirSync(directory), ['link']);
});

test('if none does, the error says why', async () => {
  const { TMPDIR } = process.env;
  process.env.TMPDIR = join(folder, 'not there either');
  try {
    await assert.rejects(
      socketPair(join(folder, 'not there'), () => {}),
      { code: 'ENOENT', path: join(folder, 'not there') },
    );
  } finally {
    if (TMPDIR === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = TMPDIR;
  }
});
