import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LeasedWork } from '../../../src/frames/background/leased-work.ts';

test('what a process has leased is held until it ends, by kind of work', async () => {
  const taken = new Set(['settle/elsewhere']);
  const catalog = {
    lease: async (work: string) => (taken.has(work) ? null : 1),
    endLease: async () => {},
    endLeases: async () => {},
  };
  const leases = new LeasedWork(catalog, 'test', () => 0);
  await leases.begin('settle/a');
  await leases.begin('settle/b');
  await leases.begin('settle/elsewhere');
  const during = await new Promise<ReadonlyMap<string, number>>((resolve) => {
    void leases.once('sweep', async () => resolve(leases.held()));
  });
  assert.deepEqual([...during.keys()], ['settle', 'sweep']);
  assert.ok((during.get('settle') ?? 0) >= (during.get('sweep') ?? 0), 'the oldest counts');
  await leases.end('settle/a', 'done');
  assert.deepEqual([...leases.held().keys()], ['settle']);
  await leases.end('settle/b', 'failed');
  assert.deepEqual([...leases.held().keys()], []);
});
