import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FrameLocations } from '../../src/flight/frame-locations.ts';
import { nodesByWarmth } from '../../src/frames/locality/rendezvous.ts';
import type { NodeAddress, Nodes } from '../../src/ports/nodes.ts';

const again = 'arrow-flight-reuse-connection://?';
const node = (id: string, advertisedUrl: string | null = `grpc://${id}:50052`): NodeAddress => ({
  id,
  advertisedUrl,
});

function nodesOf(...live: readonly NodeAddress[]): Nodes {
  return { self: live[0] as NodeAddress, live: () => live };
}

function uris(locations: FrameLocations, pieces = 1, frameId = 'frame'): readonly (readonly string[])[] {
  return locations.of(frameId, pieces).map((each) => each.map(({ uri }) => uri));
}

test('one node without an address gives no location, which means the same server', () => {
  assert.deepEqual(uris(new FrameLocations(null, null)), [[]]);
  assert.deepEqual(uris(new FrameLocations(null, nodesOf(node('a', null)))), [[]]);
});

test('the public URL alone is the only location', () => {
  assert.deepEqual(uris(new FrameLocations('grpc://all:1', null), 2), [['grpc://all:1'], ['grpc://all:1']]);
});

test('the warmest node comes first, the next one second, and the connection that asked last', () => {
  const live = [node('a'), node('b'), node('c')];
  const [first, second] = nodesByWarmth('frame', live).map(({ advertisedUrl }) => advertisedUrl);
  assert.deepEqual(uris(new FrameLocations(null, nodesOf(...live))), [[first, second, again]]);
});

test('the public URL of all nodes comes after the nodes', () => {
  const locations = new FrameLocations('grpc+tls://all:1', nodesOf(node('a')));
  assert.deepEqual(uris(locations), [['grpc://a:50052', 'grpc+tls://all:1']]);
});

test('neighbouring pieces begin with different nodes, and every node gets its share', () => {
  const live = [node('a'), node('b'), node('c')];
  const firsts = uris(new FrameLocations(null, nodesOf(...live)), 6).map(([first]) => first);
  const order = nodesByWarmth('frame', live).map(({ advertisedUrl }) => advertisedUrl);
  assert.deepEqual(firsts, [...order, ...order]);
});

test('a node that gives no address to clients is left out', () => {
  const locations = new FrameLocations(null, nodesOf(node('a', null), node('b')));
  assert.deepEqual(uris(locations, 2), [
    ['grpc://b:50052', again],
    ['grpc://b:50052', again],
  ]);
});
