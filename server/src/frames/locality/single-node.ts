import type { NodeAddress, Nodes } from '../ports/nodes.ts';

/** A node that shares its catalog with nobody. */
export class SingleNode implements Nodes {
  readonly self: NodeAddress;
  readonly #live: readonly NodeAddress[];

  constructor(self: NodeAddress) {
    this.self = self;
    this.#live = [self];
  }

  live(): readonly NodeAddress[] {
    return this.#live;
  }
}
