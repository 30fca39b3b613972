import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodesByWarmth } from '../../../src/frames/locality/rendezvous.ts';

const frames = Array.from({ length: 30_000 }, (_, index) => `frame-${index.toString(36)}`);

function nodesNamed(count: number): readonly { id: string }[] {
  return Array.from({ length: count }, (_, index) => ({ id: `framehold-${index}` }));
}

function firstOf(frameId: string, nodes: readonly { id: string }[]): string {
  return nodesByWarmth(frameId, nodes)[0]?.id ?? '';
}

test('the order does not depend on the order of the list', () => {
  const nodes = nodesNamed(7);
  const turned = [...nodes].reverse();
  for (const frame of frames.slice(0, 500))
    assert.deepEqual(nodesByWarmth(frame, turned), nodesByWarmth(frame, nodes));
});

test('every node is in the order once', () => {
  const nodes = nodesNamed(12);
  for (const frame of frames.slice(0, 100)) {
    const ids = nodesByWarmth(frame, nodes).map(({ id }) => id);
    assert.deepEqual(ids.toSorted(), nodes.map(({ id }) => id).toSorted());
  }
});

for (const count of [2, 3, 10, 50])
  test(`${count} nodes get about the same number of frames, as first and as second choice`, () => {
    const nodes = nodesNamed(count);
    for (const place of [0, 1]) {
      const shares = new Map<string, number>();
      for (const frame of frames) {
        const id = nodesByWarmth(frame, nodes)[place]?.id ?? '';
        shares.set(id, (shares.get(id) ?? 0) + 1);
      }
      const fair = frames.length / count;
      // Six standard deviations of a fair draw. The names are fixed, so the result never changes.
      const slack = 6 * Math.sqrt(fair);
      for (const { id } of nodes) {
        const share = shares.get(id) ?? 0;
        assert.ok(Math.abs(share - fair) <= slack, `${id} has ${share}, a fair share is ${fair}`);
      }
    }
  });

test('a node that leaves moves only the frames that it was first for', () => {
  const nodes = nodesNamed(5);
  const left = nodes.filter(({ id }) => id !== 'framehold-3');
  for (const frame of frames.slice(0, 5_000)) {
    const [first, second] = nodesByWarmth(frame, nodes);
    const expected = first?.id === 'framehold-3' ? second?.id : first?.id;
    assert.equal(firstOf(frame, left), expected);
  }
});

test('the frames of a node that leaves go to all others, not to one of them', () => {
  const nodes = nodesNamed(5);
  const left = nodes.filter(({ id }) => id !== 'framehold-3');
  const moved = frames.filter((frame) => firstOf(frame, nodes) === 'framehold-3');
  const takers = new Map<string, number>();
  for (const frame of moved) takers.set(firstOf(frame, left), (takers.get(firstOf(frame, left)) ?? 0) + 1);
  for (const { id } of left) {
    const share = (takers.get(id) ?? 0) / moved.length;
    assert.ok(share > 0.2 && share < 0.3, `${id} takes ${share}`);
  }
});

test('one node is always the first, and no nodes give an empty order', () => {
  assert.deepEqual(nodesByWarmth('a', [{ id: 'only' }]), [{ id: 'only' }]);
  assert.deepEqual(nodesByWarmth('a', []), []);
});
