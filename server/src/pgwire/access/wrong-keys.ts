import { LruCache } from '../../base/lru-cache.ts';

/** A short key has four thousand million values: at this pace guessing one takes centuries. */
const wrongMax = 10;
const forgetMs = 60_000;
/** An attacker with more addresses only forgets its own. */
const addressesMax = 1_000;

/** Addresses that have sent wrong keys. After too many of them none is looked at for a while, not even a right one. */
export class WrongKeys {
  readonly #addresses = new LruCache<{ count: number; since: number }>({ entriesMax: addressesMax });

  isBlocked(address: string): boolean {
    const known = this.#addresses.get(address);
    return known !== undefined && known.count >= wrongMax && performance.now() - known.since < forgetMs;
  }

  add(address: string): void {
    const now = performance.now();
    const known = this.#addresses.get(address);
    if (known === undefined || now - known.since >= forgetMs)
      this.#addresses.set(address, { count: 1, since: now });
    else known.count += 1;
  }
}
