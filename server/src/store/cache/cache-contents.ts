import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Observe } from '../../ports/observation.ts';
import type { CachedObject } from './cached-object.ts';

/** Which copies there are, in the order of their last use, and how many bytes they have. */
export class CacheContents {
  readonly #bytesMax: number;
  readonly #observe: Observe;
  readonly #objects = new Map<string, CachedObject>();
  /** Those that are open, in the cache or dropped. */
  readonly #open = new Set<CachedObject>();
  readonly #removals = new Set<Promise<void>>();
  #released = Promise.withResolvers<void>();
  #bytes = 0;
  #reserved = 0;

  constructor(bytesMax: number, observe: Observe) {
    this.#bytesMax = bytesMax;
    this.#observe = observe;
  }

  get openCount(): number {
    return this.#open.size;
  }

  get bytes(): number {
    return this.#bytes + this.#reserved;
  }

  get(key: string): CachedObject | undefined {
    return this.#objects.get(key);
  }

  /** The same, and it becomes the newest. */
  use(key: string): CachedObject | undefined {
    const cached = this.#objects.get(key);
    if (cached === undefined) return undefined;
    this.#objects.delete(key);
    this.#objects.set(key, cached);
    return cached;
  }

  add(cached: CachedObject): void {
    this.#objects.set(cached.key, cached);
    this.#bytes += cached.bytes;
    this.#tell();
  }

  /** Calling the result again does nothing. */
  pin(cached: CachedObject): () => void {
    cached.pins += 1;
    this.#open.add(cached);
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      cached.pins -= 1;
      if (cached.pins > 0) return;
      this.#open.delete(cached);
      if (cached.isDropped) this.#remove(cached);
      this.#released.resolve();
      this.#released = Promise.withResolvers<void>();
    };
  }

  /** Resolves when something is not open any more, or after so many milliseconds. */
  async released(ms: number, signal: AbortSignal): Promise<void> {
    const timer = new AbortController();
    try {
      await Promise.race([
        this.#released.promise,
        sleep(ms, undefined, { signal: AbortSignal.any([signal, timer.signal]) }),
      ]);
    } finally {
      timer.abort();
    }
  }

  /** Takes it out. Its bytes count for as long as it is open. */
  drop(cached: CachedObject): void {
    if (cached.isDropped) return;
    cached.isDropped = true;
    this.#objects.delete(cached.key);
    if (cached.pins === 0) this.#remove(cached);
  }

  /** Drops what was not used for longest until so many bytes fit; false, and nothing is dropped, if too much of it is open. */
  makeRoom(bytes: number): boolean {
    let excess = this.bytes + bytes - this.#bytesMax;
    if (excess <= 0) return true;
    const leaving: CachedObject[] = [];
    for (const cached of this.#objects.values()) {
      if (excess <= 0) break;
      if (cached.pins > 0 || cached.isAwaited) continue;
      leaving.push(cached);
      excess -= cached.bytes;
    }
    if (excess > 0) return false;
    for (const cached of leaving) this.drop(cached);
    this.#observe({ event: 'cache-evicted', count: leaving.length });
    return true;
  }

  /** Room for what is on its way. Calling the result again does nothing. */
  reserve(bytes: number): () => void {
    this.#reserved += bytes;
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#reserved -= bytes;
    };
  }

  /** Resolves when what was dropped has gone from the disk. */
  async transcoded(): Promise<void> {
    await Promise.all(this.#removals);
  }

  #remove(cached: CachedObject): void {
    this.#bytes -= cached.bytes;
    this.#tell();
    const removal = rm(cached.path, { force: true })
      .catch((error: unknown) => this.#observe({ event: 'background-failed', job: 'cache', error }))
      .finally(() => this.#removals.delete(removal));
    this.#removals.add(removal);
  }

  #tell(): void {
    this.#observe({ event: 'cache-size', bytes: this.#bytes, objects: this.#objects.size });
  }
}
