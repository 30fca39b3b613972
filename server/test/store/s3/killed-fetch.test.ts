import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { Child } from '../../support/child-process.ts';
import { publishBytes } from '../../support/object-content.ts';
import { startS3 } from '../../support/s3-server.ts';
import { Toxiproxy } from '../../support/toxiproxy-process.ts';
import { closeStore, openMarked, s3Options } from './open-s3-store.ts';

test('a node that is killed while it fetches leaves nothing that is taken for an object', async () => {
  const server = await startS3();
  const toxiproxy = await Toxiproxy.start();
  const passage = await toxiproxy.before(server.endpoint);
  const bytes = randomBytes(40_000_000);
  const writer = await openMarked(s3Options(server));
  const object = await publishBytes(writer, 't/killed.arrow', bytes);
  const options = s3Options(server, { endpoint: passage.url });
  await passage.poison({ type: 'bandwidth', attributes: { rate: 6_000 } });
  const { observe, ...sent } = options;
  const node = new Child({
    command: process.execPath,
    args: [join(import.meta.dirname, 'fetch-one.ts'), JSON.stringify({ options: sent, object })],
  });
  const folder = join(options.cacheDirectory, 'fetched');
  const halves = () => readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  await node.until('half an object', () => {
    try {
      return halves().some((size) => size > 0) ? true : null;
    } catch {
      return null;
    }
  });
  await node.stop('SIGKILL');
  const left = halves();
  assert.equal(left.length, 1);
  assert.equal((left[0] ?? 0) < bytes.byteLength, true, 'it was in the middle of it');
  await passage.heal();

  const again = await openMarked({ ...options, observe });
  assert.deepEqual(halves(), []);
  const { path, release } = await again.open(object);
  assert.deepEqual(await readFile(path), bytes);
  release();
  for (const store of [writer, again]) await closeStore(store);
  await toxiproxy.stop();
  await server.stop();
});
