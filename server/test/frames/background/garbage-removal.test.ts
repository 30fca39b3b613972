import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { Collection } from '../../../src/frames/background/collection.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import type { MaintenanceCatalog } from '../../../src/ports/catalog/maintenance.ts';
import type { ObjectStore } from '../../../src/ports/object-store.ts';
import type { Observation } from '../../../src/ports/observation.ts';

const never = new AbortController().signal;

/** A collection over a catalog with this much garbage, each taken once in a run, and a store whose removals do this. */
function collectionOf(count: number, remove: (key: string) => Promise<boolean>) {
  const garbage = new Set(Array.from({ length: count }, (_, index) => `t/g${index}.arrow`));
  const taken = new Set<string>();
  const observations: Observation[] = [];
  const catalog: Pick<MaintenanceCatalog, 'takeGarbage' | 'forget'> = {
    async takeGarbage({ limit }) {
      const page = [...garbage].filter((key) => !taken.has(key)).slice(0, limit);
      for (const key of page) taken.add(key);
      return page;
    },
    async forget(keys) {
      for (const key of keys) garbage.delete(key);
    },
  };
  const collection = new Collection(
    {
      catalog: catalog as MaintenanceCatalog,
      store: { remove } as ObjectStore,
      results: { removeStale: async () => 0 },
      observe: (observation) => observations.push(observation),
      now: Date.now,
    },
    0,
  );
  const collect = async () => {
    taken.clear();
    await collection.collect(never);
  };
  return { garbage, observations, collect };
}

const down = () => Promise.reject(new FrameholdError('unavailable', 'The object store did not answer.'));

test('one object that cannot be removed stays, and all others go', async () => {
  const { garbage, observations, collect } = collectionOf(2_500, async (key) =>
    key === 't/g1200.arrow' ? down() : true,
  );
  await collect();
  assert.deepEqual([...garbage], ['t/g1200.arrow']);
  assert.equal(observations.filter(({ event }) => event === 'background-failed').length, 1);
});

test('a store that is down is not asked for every object; when it is up again, all of them go', async () => {
  let [asked, isDown] = [0, true];
  const { garbage, collect } = collectionOf(5_000, async () => {
    asked += 1;
    return isDown ? down() : true;
  });
  await collect();
  assert.equal(asked < 100, true, `asked ${asked} times`);
  assert.equal(garbage.size, 5_000);
  isDown = false;
  await collect();
  assert.equal(garbage.size, 0);
});

test('removals wait for each other in sixteen rows', async () => {
  let [running, most] = [0, 0];
  const { garbage, collect } = collectionOf(200, async () => {
    running += 1;
    most = Math.max(most, running);
    await turn();
    running -= 1;
    return true;
  });
  await collect();
  assert.equal(most, 16);
  assert.equal(garbage.size, 0);
});
