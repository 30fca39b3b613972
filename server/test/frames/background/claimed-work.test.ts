import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ClaimedWork } from '../../../src/frames/background/claimed-work.ts';

test('what a process has claimed is held until it ends, by kind of work', async () => {
  const taken = new Set(['settle/elsewhere']);
  const catalog = {
    claim: async (work: string) => (taken.has(work) ? null : 1),
    endClaim: async () => {},
    endClaims: async () => {},
  };
  const claims = new ClaimedWork(catalog, 'test', () => 0);
  await claims.begin('settle/a');
  await claims.begin('settle/b');
  await claims.begin('settle/elsewhere');
  const during = await new Promise<ReadonlyMap<string, number>>((resolve) => {
    void claims.once('sweep', async () => resolve(claims.held()));
  });
  assert.deepEqual([...during.keys()], ['settle', 'sweep']);
  assert.ok((during.get('settle') ?? 0) >= (during.get('sweep') ?? 0), 'the oldest counts');
  await claims.end('settle/a', 'done');
  assert.deepEqual([...claims.held().keys()], ['settle']);
  await claims.end('settle/b', 'failed');
  assert.deepEqual([...claims.held().keys()], []);
});
