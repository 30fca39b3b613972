import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SqliteCatalog } from '../../src/catalog/sqlite/sqlite-catalog.ts';
import { collectGarbage } from '../../src/frames/background/collection.ts';
import { Settling } from '../../src/frames/background/settling.ts';
import { DiskRoom } from '../../src/frames/disk-room.ts';
import { Leases } from '../../src/frames/leases.ts';
import { ObjectGuard } from '../../src/frames/object-guard.ts';
import type { Observation } from '../../src/frames/observation.ts';
import { PartSettling } from '../../src/frames/part-settling.ts';
import type { Codec } from '../../src/frames/ports/codec.ts';
import { Put } from '../../src/frames/put.ts';
import { WorkerCodec } from '../../src/settle/worker-codec.ts';
import { DiskStore } from '../../src/store/disk-store.ts';
import { arrowBytes } from '../parts/python.ts';
import { removeFolder, temporaryFolder } from '../parts/temporary-folder.ts';

test('a frame that is dropped and collected while another one settles is no fault', async () => {
  const folder = temporaryFolder('settling');
  const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
  const catalog = await SqliteCatalog.open({ path: join(folder, 'catalog.sqlite') });
  const store = await DiskStore.open(folder, join(folder, 'cold'));
  const codec = new WorkerCodec({
    checkThreads: 1,
    decodeThreads: 1,
    settleThreads: 1,
    limits: { batchBytesMax: 1024 ** 3 },
    compression: 'zstd',
  });
  after(async () => {
    await codec.close();
    await catalog.close();
    removeFolder(folder);
  });
  const observations: Observation[] = [];
  const observe = (observation: Observation) => observations.push(observation);
  const leases = new Leases();
  const room = new DiskRoom(store, 0, observe);
  const guard = new ObjectGuard({ catalog, store, leases, observe, now: Date.now, onDamage: () => {} });
  const parts = { catalog, store, codec, leases, room, guard, observe, now: Date.now };
  const { signal } = new AbortController();
  for (const name of ['first', 'second', 'third']) {
    const target = { name, mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
    const put = await Put.begin(parts, { tenant: 'default', name, target, signal, onEnd: () => {} });
    await put.write([table]);
    await put.finish();
  }

  const settle: Codec['settle'] = async (request, aborted) => {
    const dropped = await catalog.drop('default', 'second', null, null, Date.now()).catch(() => 'gone');
    if (dropped !== 'gone') await collectGarbage(catalog, store, leases, observe, aborted);
    return await codec.settle(request, aborted);
  };
  const slow = new Proxy<Codec>(codec, {
    get: (target, key) => (key === 'settle' ? settle : Reflect.get(target, key)),
  });
  const settling = new PartSettling({ ...parts, codec: slow });
  await new Settling({ ...parts, settling }).run(signal, async () => {});

  const events = observations.map(({ event }) => event);
  assert.equal(events.includes('settle-failed'), false, JSON.stringify(observations));
  assert.equal(events.filter((event) => event === 'settled').length, 2);
});
