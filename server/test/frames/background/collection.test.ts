import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, describe, it } from 'node:test';
import { Compaction } from '../../../src/frames/background/compaction.ts';
import { arrowKey, attemptOfKey } from '../../../src/frames/objects/part-keys.ts';
import { openCaller } from '../../../src/model/caller.ts';
import { orderedId } from '../../../src/model/handle.ts';
import type { ObjectStore } from '../../../src/ports/object-store.ts';
import type { Reading } from '../../../src/ports/reading.ts';
import { dropOf } from '../../catalog/change-builder.ts';
import { faultyPort } from '../../support/faulty-port.ts';
import { publishBytes } from '../../support/object-content.ts';
import { eventually } from '../../support/patience.ts';
import { arrowBytes } from '../../support/python.ts';
import { stoppedClock } from '../../support/stopped-clock.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { openCore } from '../open-core.ts';

const never = new AbortController().signal;
const hourMs = 3_600_000;
const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
assert.ok(table);

type Core = Awaited<ReturnType<typeof openCore>>;

async function open(options: Parameters<typeof openCore>[1] = {}): Promise<Core> {
  const core = await openCore(temporaryFolder('collection'), options);
  after(() => core.close());
  return core;
}

async function put({ frames }: Core, name: string, mode: 'replace' | 'append' = 'replace'): Promise<void> {
  const target = { name, mode, format: 'arrow', originFormat: 'arrow' } as const;
  const session = await frames.beginPut(openCaller, target, never);
  await session.write([table as Uint8Array]);
  await session.finish();
}

function read({ frames }: Core, name: string, version: number | null = null): Promise<Reading> {
  return frames.read(openCaller, { name, version }, {}, never);
}

async function publish(store: ObjectStore, key: string): Promise<void> {
  await publishBytes(store, key, table as Uint8Array);
}

async function keysOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of store.list()) keys.push(...page);
  return keys.sort();
}

const pathsOf = (reading: Reading) => reading.sources.flatMap(({ paths }) => paths);

describe('a reader', () => {
  it('outlives a replace, a prune and a collection', async () => {
    let clock = Date.now();
    const core = await open({ now: () => clock });
    await put(core, 'f');
    const reading = await read(core, 'f');
    await put(core, 'f');
    await core.catalog.sweep(1, null, clock);
    await core.collection.collect(never);
    assert.deepEqual(readFileSync(pathsOf(reading)[0] as string), Buffer.from(table as Uint8Array));
    await assert.rejects(read(core, 'f', 1), { kind: 'frame_gone' });
    reading.release();
    clock += 30_000;
    await core.collection.collect(never);
    assert.equal(existsSync(pathsOf(reading)[0] as string), false);
    assert.equal((await keysOf(core.store)).length, 1);
  });

  it('whose parts are compacted and collected between catalog and store finds the compacted one', async () => {
    let between: (() => Promise<unknown>) | null = null;
    const core = await open({
      wrapStore: (store) =>
        faultyPort(
          store,
          new Map([
            [
              'open',
              async (work) => {
                const first = between;
                between = null;
                await first?.();
                return work();
              },
            ],
          ]),
        ),
    });
    for (let count = 0; count < 8; count++) await put(core, 'm', count === 0 ? 'replace' : 'append');
    await core.catalog.sweep(1, null, Date.now());
    between = async () => {
      assert.equal(await new Compaction(core).run(never), 1);
      await core.collection.collect(never);
    };
    const reading = await read(core, 'm');
    assert.equal(between, null);
    assert.equal(reading.sources.length, 1);
    assert.equal(reading.rowCount, 24);
    assert.ok(pathsOf(reading).every(existsSync));
    reading.release();
  });

  it('on another machine renews what it reads, and nothing once it is done', async (context) => {
    const { pass } = stoppedClock(context);
    let clock = Date.now();
    let [begun, ended] = [0, 0];
    const delayMs = 15 * 60_000;
    const renewIntervalMs = 60_000;
    const core = await open({
      now: () => clock,
      delayMs,
      renewIntervalMs,
      wrapCatalog: (catalog) =>
        faultyPort(
          catalog,
          new Map([
            [
              'renew',
              async (work) => {
                begun += 1;
                await work();
                ended += 1;
              },
            ],
          ]),
        ),
    });
    await put(core, 'r');
    const reading = await read(core, 'r');
    await core.catalog.drop(dropOf('default', 'r', null, null, clock));
    await core.collection.collect(never);
    const take = () => core.catalog.takeGarbage({ limit: 10, delayMs, leaseMs: 0, now: clock });
    for (let minutes = 0; minutes < 60; minutes += 10) {
      clock += 10 * 60_000;
      const before = ended;
      pass(renewIntervalMs);
      await eventually('a renewal', () => ended > before);
      assert.deepEqual(await take(), [], `after ${minutes + 10} minutes`);
    }
    reading.release();
    clock += delayMs;
    const before = begun;
    pass(3 * renewIntervalMs);
    assert.equal(begun, before);
    assert.equal((await take()).length, 1);
  });
});

describe('orphans', () => {
  it('of another process that is between publish and commit stay, and its commit succeeds', async () => {
    let published: (() => Promise<unknown>) | null = null;
    const core = await open({
      wrapStore: (store) =>
        faultyPort(
          store,
          new Map([
            [
              'publish',
              async (work) => {
                await work();
                await published?.();
              },
            ],
          ]),
        ),
    });
    // What a process does that starts now.
    published = async () => {
      await core.leases.endEarlier();
      await core.collection.removeOrphans(never);
      await core.collection.collect(never);
    };
    await put(core, 'f');
    const reading = await read(core, 'f');
    assert.deepEqual(readFileSync(pathsOf(reading)[0] as string), Buffer.from(table as Uint8Array));
    reading.release();
  });

  it('go when they are older than any change that could still record them', async () => {
    let clock = Date.now();
    const core = await open({ now: () => clock });
    await put(core, 'f');
    const [known = ''] = await keysOf(core.store);
    const orphan = arrowKey('default', orderedId());
    await publish(core.store, orphan);
    clock += 47 * hourMs;
    await core.collection.removeOrphans(never);
    assert.deepEqual(await keysOf(core.store), [known, orphan].sort());
    clock += 2 * hourMs;
    await core.collection.removeOrphans(never);
    assert.deepEqual(await keysOf(core.store), [known]);
    assert.ok(core.observations.some(({ event }) => event === 'orphans-removed'));
  });

  it('cannot come back: a change that began a day ago is refused', async () => {
    let clock = Date.now();
    const core = await open({ now: () => clock });
    const target = { name: 'late', mode: 'create', format: 'arrow', originFormat: 'arrow' } as const;
    const session = await core.frames.beginPut(openCaller, target, never);
    await session.write([table as Uint8Array]);
    clock += 25 * hourMs;
    await assert.rejects(session.finish(), { kind: 'request_timeout' });
    await assert.rejects(read(core, 'late'), { kind: 'frame_not_found' });
    assert.deepEqual(await keysOf(core.store), [], 'it was refused: its object goes at once');
  });

  it('have the id of their attempt in their key', () => {
    const id = orderedId();
    assert.equal(attemptOfKey(arrowKey('tenant', id)), id);
  });
});
