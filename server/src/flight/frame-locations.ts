import { nodesByWarmth } from '../frames/locality/rendezvous.ts';
import type { Nodes } from '../ports/nodes.ts';

/** Flight's own words for "where you asked". */
const sameConnection = 'arrow-flight-reuse-connection://?';
/** Of nodes that may have the frame warm: the second becomes the first if the first has just gone. Beyond that, any node is as cold as another. */
const nodesMax = 2;

type Location = { readonly uri: string };

/** Where a client may read a frame. Any node answers; the first location is the one that most likely has the bytes in its cache. */
export class FrameLocations {
  readonly #nodes: Nodes | null;
  readonly #publicUrl: string | null;

  /** `publicUrl`: of all nodes together, such as their balancer's. Without nodes that have an address it is the only location. */
  constructor(publicUrl: string | null, nodes: Nodes | null) {
    this.#publicUrl = publicUrl;
    this.#nodes = nodes;
  }

  /** The locations of so many pieces of a frame. Neighbouring pieces begin with different nodes, so that they are read from several at once. */
  of(frameId: string, pieces: number): readonly (readonly Location[])[] {
    const warmest = this.#addresses(frameId);
    const anyNode = this.#publicUrl ?? (warmest.length === 0 ? null : sameConnection);
    const last = anyNode === null ? [] : [{ uri: anyNode }];
    return Array.from({ length: pieces }, (_, piece) => {
      const chosen = Math.min(nodesMax, warmest.length);
      const own = Array.from({ length: chosen }, (_, place) => ({
        uri: warmest[(piece + place) % warmest.length] as string,
      }));
      return [...own, ...last];
    });
  }

  #addresses(frameId: string): readonly string[] {
    const nodes = this.#nodes?.live().filter(({ advertisedUrl }) => advertisedUrl !== null) ?? [];
    return nodesByWarmth(frameId, nodes).map(({ advertisedUrl }) => advertisedUrl as string);
  }
}
