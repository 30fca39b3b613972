import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RestoreGuard } from '../../../src/frames/background/restore-guard.ts';
import { FrameholdError } from '../../../src/frames/errors.ts';
import type { Observation } from '../../../src/frames/observation.ts';
import type { CatalogMark, MarkedCatalog, MarkedStore } from '../../../src/frames/ports/catalog-mark.ts';

class Catalog implements MarkedCatalog {
  current: CatalogMark = { catalogId: 'a', epoch: 1 };

  mark(): Promise<CatalogMark> {
    return Promise.resolve(this.current);
  }

  advance(): Promise<CatalogMark> {
    this.current = { ...this.current, epoch: this.current.epoch + 1 };
    return this.mark();
  }

  raise(epoch: number): Promise<CatalogMark> {
    this.current = { ...this.current, epoch: Math.max(epoch, this.current.epoch) };
    return this.mark();
  }
}

class Store implements MarkedStore {
  stored: CatalogMark | null = null;
  isDown = false;

  async readMark(): Promise<CatalogMark | null> {
    if (this.isDown) throw new FrameholdError('unavailable', 'as tested');
    return this.stored;
  }

  async writeMark(mark: CatalogMark): Promise<void> {
    this.stored = mark;
  }
}

function guarded() {
  const catalog = new Catalog();
  const store = new Store();
  const seen: Observation[] = [];
  const guard = new RestoreGuard({ catalog, store, observe: (each) => seen.push(each), now: () => 0 });
  return { catalog, store, guard, seen };
}

test('a new catalog and an empty store belong together from the first look on', async () => {
  const { catalog, store, guard } = guarded();
  await guard.begin();
  assert.deepEqual(store.stored, catalog.current);
  assert.equal(await guard.check(), 'sound');
});

test('a catalog that was restored to an earlier moment is noticed, and told once', async () => {
  const { catalog, store, guard, seen } = guarded();
  await guard.begin();
  store.stored = { catalogId: 'a', epoch: 90 };
  catalog.current = { catalogId: 'a', epoch: 30 };
  assert.equal(await guard.check(), 'restored');
  assert.equal(await guard.check(), 'restored');
  assert.deepEqual(seen, [{ event: 'restore-guard', state: 'restored' }]);
  await catalog.raise(91);
  assert.equal(await guard.check(), 'sound');
});

test('a catalog that is ahead of the store is sound: the mark was not yet written', async () => {
  const { catalog, guard } = guarded();
  await guard.begin();
  catalog.current = { catalogId: 'a', epoch: 5 };
  assert.equal(await guard.check(), 'sound');
});

test('a store of another catalog is refused, and so is an empty one once the catalog is in use', async () => {
  const { catalog, store, guard } = guarded();
  store.stored = { catalogId: 'b', epoch: 1 };
  await assert.rejects(guard.begin(), /another catalog/);
  store.stored = null;
  catalog.current = { catalogId: 'a', epoch: 7 };
  await assert.rejects(guard.begin(), /another catalog/);
  assert.equal(store.stored, null);
});

test('a store that does not answer is no reason to believe anything', async () => {
  const { store, guard } = guarded();
  await guard.begin();
  store.isDown = true;
  await assert.rejects(guard.check(), /as tested/);
  assert.equal(guard.state, 'sound');
});
