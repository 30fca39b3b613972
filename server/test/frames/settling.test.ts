import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { collectGarbage } from '../../src/frames/background/collection.ts';
import { Settling } from '../../src/frames/background/settling.ts';
import { openCaller } from '../../src/frames/caller.ts';
import { PartSettling } from '../../src/frames/part-settling.ts';
import type { Codec } from '../../src/frames/ports/codec.ts';
import { Put } from '../../src/frames/put.ts';
import { dropOf } from '../catalog/change-builder.ts';
import { arrowBytes } from '../parts/python.ts';
import { removeFolder, temporaryFolder } from '../parts/temporary-folder.ts';
import { openCore, unwatched } from './core-parts.ts';

test('a frame that is dropped and collected while another one settles is no fault', async () => {
  const folder = temporaryFolder('settling');
  const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
  const core = await openCore(folder);
  after(async () => {
    await core.close();
    removeFolder(folder);
  });
  const { catalog, store, codec, leases, observe, observations } = core;
  const { signal } = new AbortController();
  for (const name of ['first', 'second', 'third']) {
    const target = { name, mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
    const put = await Put.begin(core, {
      caller: openCaller,
      name,
      target,
      signal,
      ...unwatched,
      openVersion: () => Promise.reject(new Error('nothing is appended')),
    });
    await put.write([table]);
    await put.finish();
  }

  const settle: Codec['settle'] = async (request, aborted) => {
    const dropped = await catalog
      .drop(dropOf('default', 'second', null, null, Date.now()))
      .catch(() => 'gone');
    if (dropped !== 'gone') await collectGarbage(catalog, store, leases, observe, aborted);
    return await codec.settle(request, aborted);
  };
  const slow = new Proxy<Codec>(codec, {
    get: (target, key) => (key === 'settle' ? settle : Reflect.get(target, key)),
  });
  const settling = new PartSettling({ ...core, codec: slow });
  await new Settling({ ...core, settling }).run(signal, async () => {});

  const events = observations.map(({ event }) => event);
  assert.equal(events.includes('settle-failed'), false, JSON.stringify(observations));
  assert.equal(events.filter((event) => event === 'settled').length, 2);
});
