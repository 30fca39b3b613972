import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RestoreGuard } from '../../../src/frames/background/restore-guard.ts';
import { FrameholdError } from '../../../src/model/errors.ts';
import type {
  ClusterIdentity,
  IdentifiedCatalog,
  IdentifiedStore,
} from '../../../src/ports/cluster-identity.ts';
import type { Observation } from '../../../src/ports/observation.ts';

class Catalog implements IdentifiedCatalog {
  current: ClusterIdentity = { catalogId: 'a', epoch: 1 };
  isLost = false;

  identity(): Promise<ClusterIdentity> {
    return Promise.resolve(this.current);
  }

  advance(): Promise<ClusterIdentity> {
    this.current = { ...this.current, epoch: this.current.epoch + 1 };
    return this.identity();
  }

  hasLost(): Promise<boolean> {
    return Promise.resolve(this.isLost);
  }

  acceptLoss(): void {
    this.isLost = false;
  }

  raise(epoch: number): Promise<ClusterIdentity> {
    this.current = { ...this.current, epoch: Math.max(epoch, this.current.epoch) };
    return this.identity();
  }
}

class Store implements IdentifiedStore {
  stored: ClusterIdentity | null = null;
  isDown = false;

  async readIdentity(): Promise<ClusterIdentity | null> {
    if (this.isDown) throw new FrameholdError('unavailable', 'as tested');
    return this.stored;
  }

  async writeIdentity(identity: ClusterIdentity): Promise<void> {
    this.stored = identity;
  }
}

function guarded() {
  const catalog = new Catalog();
  const store = new Store();
  const seen: Observation[] = [];
  const guard = new RestoreGuard({ catalog, store, observe: (each) => seen.push(each), now: () => 0 });
  return { catalog, store, guard, seen };
}

function begin(guard: RestoreGuard): Promise<void> {
  return new Promise((resolve) => guard.start(resolve));
}

test('a new catalog and an empty store belong together from the first look on', async () => {
  const { catalog, store, guard } = guarded();
  assert.throws(() => guard.checkBegun(), /has not answered/);
  await begin(guard);
  guard.checkBegun();
  await guard.close();
  assert.deepEqual(store.stored, catalog.current);
  assert.equal(await guard.check(), 'sound');
});

test('a catalog that was restored to an earlier moment is noticed, and told once', async () => {
  const { catalog, store, guard, seen } = guarded();
  await begin(guard);
  await guard.close();
  store.stored = { catalogId: 'a', epoch: 90 };
  catalog.current = { catalogId: 'a', epoch: 30 };
  assert.equal(await guard.check(), 'restored');
  assert.equal(await guard.check(), 'restored');
  assert.deepEqual(seen, [{ event: 'restore-guard', state: 'restored' }]);
  await catalog.raise(91);
  assert.equal(await guard.check(), 'sound');
});

test('a change that this node has made is missing: the alarm stands until an operator accepts it, whoever writes over it', async () => {
  const { catalog, store, guard, seen } = guarded();
  await begin(guard);
  await guard.close();
  catalog.isLost = true;
  await guard.look();
  assert.equal(guard.state, 'restored');
  // Of another node.
  await store.writeIdentity(await catalog.advance());
  assert.equal(await guard.check(), 'sound');
  await guard.look();
  assert.equal(guard.state, 'restored');
  await catalog.raise(store.stored?.epoch ?? 0);
  await guard.look();
  assert.equal(guard.state, 'sound');
  assert.equal(catalog.isLost, false);
  assert.deepEqual(
    seen.map((each) => (each.event === 'restore-guard' ? each.state : each.event)),
    ['restored', 'sound', 'restored', 'sound'],
  );
});

test('a catalog that is ahead of the store is sound: the identity was not yet written', async () => {
  const { catalog, guard } = guarded();
  await begin(guard);
  await guard.close();
  catalog.current = { catalogId: 'a', epoch: 5 };
  assert.equal(await guard.check(), 'sound');
});

test('a store of another catalog is not used, nor is an empty one once the catalog is in use', async () => {
  for (const stored of [{ catalogId: 'b', epoch: 1 }, null]) {
    const { catalog, store, guard } = guarded();
    catalog.current = { catalogId: 'a', epoch: 7 };
    store.stored = stored;
    let hasBegun = false;
    guard.start(() => {
      hasBegun = true;
    });
    assert.equal(await guard.check(), 'foreign');
    await guard.close();
    assert.throws(() => guard.checkBegun(), /another catalog/);
    assert.equal(hasBegun, false);
    assert.deepEqual(store.stored, stored);
  }
});

test('a store that does not answer is no reason to believe anything', async () => {
  const { store, guard } = guarded();
  await begin(guard);
  await guard.close();
  store.isDown = true;
  await assert.rejects(guard.check(), /as tested/);
  assert.equal(guard.state, 'sound');
});

test('an identity that changes on its way is read again', async () => {
  const { store, guard, seen } = guarded();
  await begin(guard);
  await guard.close();
  const right = store.stored;
  for (const wrong of [{ catalogId: 'b', epoch: 1 }, { catalogId: 'a', epoch: 90 }, null]) {
    const answers = [wrong, wrong, right];
    store.readIdentity = async () => answers.shift() ?? null;
    assert.equal(await guard.check(), 'sound');
  }
  assert.deepEqual(seen, []);
});
