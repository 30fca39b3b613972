import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openCaller } from '../../../src/model/caller.ts';
import type { ObjectStore } from '../../../src/ports/object-store.ts';
import { arrowBytes } from '../../support/python.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';
import { flipBit, objectPath } from '../../support/stored-objects.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const never = new AbortController().signal;

test('a quarantined form is read again before a caller is refused, but not for every caller', async (t) => {
  const folder = temporaryFolder('object-guard');
  let verified = 0;
  const counting = (store: ObjectStore) =>
    new Proxy(store, {
      get: (target, key) => {
        if (key === 'verify') verified += 1;
        const value: unknown = Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  const core = await openCore(folder, { wrapStore: counting });
  after(async () => {
    await core.close();
    removeFolder(folder);
  });
  const { table } = await arrowBytes({ table: "pa.table({'n': pa.array(range(1000))})" });
  const target = { name: 'f', mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
  const session = await core.frames.beginPut(openCaller, target, never);
  await session.write([table]);
  await session.finish();
  const [part] = await core.catalog.parts('default', 'f', 1);
  const path = objectPath(folder, part?.forms[0]?.objects[0]?.key ?? '');
  const read = () => core.frames.read(openCaller, { name: 'f', version: null }, {}, never);

  const clock = stoppedClock(t);
  flipBit(path, 0.5);
  for (let time = 1; time <= 10; time++) await assert.rejects(read(), { kind: 'frame_damaged' });
  assert.equal(verified, 1, 'the first read has found it; nobody else has waited for it');
  const soonAgain: number[] = [];
  for (let second = 1; second <= 100; second++) {
    clock.pass(1_000);
    const before = verified;
    await assert.rejects(read(), { kind: 'frame_damaged' });
    if (verified > before) soonAgain.push(second);
  }
  assert.deepEqual(soonAgain, [1, 3, 7, 15, 31, 61, 91], 'a second after it was found, and ever more seldom');
  clock.pass(30_000);
  const before = verified;
  await Promise.all(Array.from({ length: 10 }, () => assert.rejects(read(), { kind: 'frame_damaged' })));
  assert.equal(verified, before + 1, 'read again after half a minute, once for all');

  flipBit(path, 0.5);
  await assert.rejects(read(), { kind: 'frame_damaged' });
  clock.pass(30_000);
  (await read()).release();
  assert.deepEqual(await core.catalog.knownDamage(), []);
});
