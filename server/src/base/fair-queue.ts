/** Items of several tenants that wait: each tenant's in the order in which they came, the tenants in turn. Every step takes the same time, however many wait. */
export class FairQueue<Item> {
  /** In the order in which they are served, but that the one served last may still be the first. */
  readonly #tenants = new Map<string, Set<Item>>();
  /** So that a tenant that comes now does not wait for a second turn of this one. */
  #served: string | null = null;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(tenant: string, item: Item): void {
    const items = this.#tenants.get(tenant);
    if (items === undefined) this.#tenants.set(tenant, new Set([item]));
    else items.add(item);
    this.#size += 1;
  }

  /** Nothing happens if it does not wait any more. */
  delete(tenant: string, item: Item): void {
    const items = this.#tenants.get(tenant);
    if (items?.delete(item) !== true) return;
    this.#size -= 1;
    if (items.size === 0) this.#tenants.delete(tenant);
  }

  /** What `take` would give. */
  peek(): Item | undefined {
    for (const item of this.#turn()?.[1] ?? []) return item;
    return undefined;
  }

  take(): Item | undefined {
    const turn = this.#turn();
    if (turn === null) return undefined;
    const [tenant, items] = turn;
    this.#served = tenant;
    for (const item of items) {
      this.delete(tenant, item);
      return item;
    }
    return undefined;
  }

  /**
   * For a queue that is full: takes the last item of the tenant that has most, which makes way for one of `tenant`. undefined if none has more than
   * this tenant would have then. Looks at each tenant that waits.
   */
  displace(tenant: string): Item | undefined {
    let most = (this.#tenants.get(tenant)?.size ?? 0) + 1;
    let longest: readonly [string, Set<Item>] | null = null;
    for (const [name, items] of this.#tenants) {
      if (items.size <= most) continue;
      most = items.size;
      longest = [name, items];
    }
    if (longest === null) return undefined;
    const last = [...longest[1]].at(-1);
    if (last !== undefined) this.delete(longest[0], last);
    return last;
  }

  #turn(): readonly [string, Set<Item>] | null {
    for (const turn of this.#tenants) {
      const [tenant, items] = turn;
      if (tenant !== this.#served || this.#tenants.size === 1) return turn;
      this.#tenants.delete(tenant);
      this.#tenants.set(tenant, items);
    }
    return null;
  }
}
