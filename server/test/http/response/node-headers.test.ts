import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { renderPools } from '../../../src/compose/workers/worker-pools.ts';
import { WorkerRenderer } from '../../../src/encode/renderer.ts';
import { nodesByWarmth } from '../../../src/frames/locality/rendezvous.ts';
import type { NodeAddress, Nodes } from '../../../src/ports/nodes.ts';
import { readingOf, sampleFrames } from '../../encode/sample-frames.ts';
import { type BareListener, heldFrame, startBareListener } from '../bare-listener.ts';

const self: NodeAddress = { id: 'node-1', advertisedUrl: null };
let live: readonly NodeAddress[] = [self];
const nodes: Nodes = { self, live: () => live };

let renderer: WorkerRenderer;
const listeners: Record<'shared' | 'alone', BareListener | null> = { shared: null, alone: null };

before(async () => {
  renderer = new WorkerRenderer(renderPools({ threads: 1 }));
  const parts = { frames: heldFrame(readingOf([(await sampleFrames()).path('long')])), renderer };
  listeners.shared = await startBareListener({ ...parts, nodes });
  listeners.alone = await startBareListener(parts);
});
after(async () => {
  await listeners.shared?.close();
  await listeners.alone?.close();
  await renderer.close();
});

async function nodeHeadersOf(path: string, which: keyof typeof listeners = 'shared') {
  const answer = await fetch(`${listeners[which]?.url}${path}`);
  assert.equal(answer.status, 200, await answer.text());
  return [answer.headers.get('framehold-node'), answer.headers.get('framehold-warm-node')];
}

const routes = ['/v1/frames/sample', '/v1/frames/sample/rows?fmt=csv', '/exp?handle=sample&fmt=csv'];

for (const route of routes)
  test(`${route} names the node that answered, and the one that has the frame warm`, async () => {
    live = [self, { id: 'node-2', advertisedUrl: null }, { id: 'node-3', advertisedUrl: null }];
    const warmest = nodesByWarmth('sample', live)[0]?.id;
    assert.deepEqual(await nodeHeadersOf(route), ['node-1', warmest]);
    // The warmest leaves: the next one takes its place.
    live = live.filter(({ id }) => id !== warmest);
    assert.deepEqual(await nodeHeadersOf(route), ['node-1', nodesByWarmth('sample', live)[0]?.id]);
  });

test('an id of any characters is a valid header', async () => {
  live = [{ id: 'Küche\r\n1', advertisedUrl: null }];
  assert.deepEqual(await nodeHeadersOf(routes[0] as string), ['node-1', 'K%C3%BCche%0D%0A1']);
});

test('/exec is frozen: it names no node', async () => {
  live = [self];
  assert.deepEqual(await nodeHeadersOf('/exec?handle=sample&fmt=json'), [null, null]);
});

test('a server alone names no node', async () => {
  for (const route of routes) assert.deepEqual(await nodeHeadersOf(route, 'alone'), [null, null]);
});
