import type { NodeAddress } from '../../ports/nodes.ts';

/**
 * The nodes by how likely they have the frame in their cache, the likeliest first (rendezvous hashing). Every node computes the
 * same order from the same list. If a node leaves, only the frames that it was first for move; if one joins, it takes its share from all others equally.
 */
export function nodesByWarmth<Node extends Pick<NodeAddress, 'id'>>(
  frameId: string,
  nodes: readonly Node[],
): readonly Node[] {
  if (nodes.length === 1) return nodes;
  const key = hashText(frameId);
  return nodes
    .map((node) => ({ node, weight: mixed(hashText(node.id) ^ key) }))
    .sort((left, right) => right.weight - left.weight || compareIds(left.node.id, right.node.id))
    .map(({ node }) => node);
}

/** Equal weights are rare but possible, and must not depend on the order of the list. */
function compareIds(left: string, right: string): number {
  return left < right ? -1 : 1;
}

/** FNV-1a over UTF-16 units, mixed: ids of nodes often differ in their last character only. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return mixed(hash);
}

/** The finalizer of MurmurHash3: every bit of the input changes about half of the output. */
function mixed(value: number): number {
  let hash = value;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
