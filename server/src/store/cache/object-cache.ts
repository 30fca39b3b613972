import { constants } from 'node:fs';
import { access, mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { SharedWork } from '../../base/shared-work.ts';
import { FrameholdError } from '../../model/errors.ts';
import { randomId } from '../../model/handle.ts';
import type { StoredObject } from '../../model/version.ts';
import type { LocalObject, ObjectContent } from '../../ports/object-store.ts';
import type { Observe } from '../../ports/observation.ts';
import { Slots } from '../slots.ts';
import { CacheContents } from './cache-contents.ts';
import { cachedFiles } from './cached-files.ts';
import type { CachedObject } from './cached-object.ts';

export interface ObjectCacheOptions {
  readonly directory: string;
  readonly bytesMax: number;
  /** Writes the object's bytes to a new file. Throws unless they are the object's. */
  readonly fetch: (object: StoredObject, path: string, signal: AbortSignal) => Promise<void>;
  /** Whether a file has the bytes of the object. */
  readonly compare: (object: StoredObject, path: string, signal: AbortSignal) => Promise<boolean>;
  readonly observe: Observe;
}

/** Objects fetched at once. A version may have thousands of parts: the rest wait their turn. */
const fetchesMax = 64;
/** How long a fetch waits for room, and how often it looks at least. */
const roomWaitMs = 2_000;
const roomLookMs = 200;
/** A copy may go between its arrival and its use, in a cache that is much too small. */
const openTriesMax = 3;

/**
 * Whole objects on the local disk. What is open stays; of the rest, what was not used for longest goes first. Nothing in it matters: a copy that
 * has gone or is not what it should be is fetched again.
 */
export class ObjectCache {
  readonly #options: ObjectCacheOptions;
  readonly #contents: CacheContents;
  readonly #work = new SharedWork<void>();
  readonly #slots = new Slots(fetchesMax);
  readonly #never = new AbortController().signal;

  private constructor(options: ObjectCacheOptions) {
    this.#options = options;
    this.#contents = new CacheContents(options.bytesMax, options.observe);
  }

  /** Knows what an earlier process has left; what that one had not finished is removed. */
  static async open(options: ObjectCacheOptions): Promise<ObjectCache> {
    const cache = new ObjectCache(options);
    const { objects, fetched } = directoriesOf(options.directory);
    await rm(fetched, { recursive: true, force: true });
    for (const directory of [objects, fetched]) await mkdir(directory, { recursive: true });
    for (const { key, path, bytes } of await cachedFiles(objects)) {
      if (!cache.#contents.makeRoom(bytes)) await rm(path, { force: true });
      else
        cache.#contents.add({
          key,
          path,
          bytes,
          isVerified: false,
          isAwaited: false,
          pins: 0,
          isDropped: false,
        });
    }
    return cache;
  }

  get openCount(): number {
    return this.#contents.openCount;
  }

  /** Bytes of all copies, and of those on their way. */
  get bytes(): number {
    return this.#contents.bytes;
  }

  /** A copy that is what the object should be, fetched if there is none. It stays until it is released. */
  async open(object: StoredObject, signal: AbortSignal = this.#never): Promise<LocalObject> {
    for (let tries = 1; tries <= openTriesMax; tries++) {
      const cached = this.#contents.use(object.key);
      if (cached?.isVerified && cached.bytes === object.bytes) {
        // Before anything is awaited: it must not go meanwhile.
        const release = this.#contents.pin(cached);
        if (await isReadable(cached.path)) {
          if (tries === 1) this.#options.observe({ event: 'object-cache', hit: true });
          return { path: cached.path, release };
        }
        release();
        this.#contents.drop(cached);
      }
      if (tries === 1) this.#options.observe({ event: 'object-cache', hit: false });
      await this.#work.run(object.key, signal, (shared) => this.#bring(object, shared));
    }
    throw this.#crowded(object.bytes);
  }

  /** Takes over a file whose bytes are the object's. If there is no room for it, it is removed. */
  async adopt(key: string, { bytes }: ObjectContent, path: string): Promise<void> {
    const earlier = this.#contents.get(key);
    if (earlier !== undefined) this.#contents.drop(earlier);
    if (!this.#contents.makeRoom(bytes)) return rm(path, { force: true });
    const free = this.#contents.reserve(bytes);
    try {
      await this.#keep(key, bytes, path, free);
    } finally {
      free();
    }
  }

  /** The object is not there any more, so that its copy is not wanted. Those who have it open keep it. */
  forget(key: string): void {
    const cached = this.#contents.get(key);
    if (cached !== undefined) this.#contents.drop(cached);
  }

  /** Somebody could not read the copy: it is compared before it is used again. */
  suspect(key: string): void {
    const cached = this.#contents.get(key);
    if (cached !== undefined) cached.isVerified = false;
  }

  async close(): Promise<void> {
    await this.#contents.transcoded();
  }

  async #bring(object: StoredObject, signal: AbortSignal): Promise<void> {
    const leave = await this.#slots.take(1, signal);
    try {
      const cached = this.#contents.get(object.key);
      if (cached !== undefined) {
        const isSound = cached.bytes === object.bytes && (await this.#isSound(cached, object, signal));
        if (isSound) return this.#verified(cached);
        this.#contents.drop(cached);
      }
      await this.#fetch(object, signal);
    } finally {
      leave();
    }
  }

  async #isSound(cached: CachedObject, object: StoredObject, signal: AbortSignal): Promise<boolean> {
    const release = this.#contents.pin(cached);
    try {
      return await this.#options.compare(object, cached.path, signal);
    } finally {
      release();
    }
  }

  async #fetch(object: StoredObject, signal: AbortSignal): Promise<void> {
    const { fetch, observe, directory } = this.#options;
    const { key, bytes } = object;
    const free = await this.#room(bytes, signal);
    const path = join(directoriesOf(directory).fetched, randomId());
    const began = performance.now();
    try {
      await fetch(object, path, signal);
      await this.#keep(key, bytes, path, free);
      observe({ event: 'object-fetched', bytes, durationMs: performance.now() - began });
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      free();
    }
  }

  /** Most reads are short: room that others hold is waited for, and not for long, because they may be waiting for this one. */
  async #room(bytes: number, signal: AbortSignal): Promise<() => void> {
    const until = performance.now() + roomWaitMs;
    while (!this.#contents.makeRoom(bytes)) {
      if (bytes > this.#options.bytesMax || performance.now() >= until) throw this.#crowded(bytes);
      await this.#contents.released(roomLookMs, signal);
    }
    return this.#contents.reserve(bytes);
  }

  /** Its file gets a name of its own each time: one that is going to be removed must not take a new one with it. */
  async #keep(key: string, bytes: number, from: string, free: () => void): Promise<void> {
    const path = `${join(directoriesOf(this.#options.directory).objects, key)}~${randomId()}`;
    await mkdir(dirname(path), { recursive: true });
    await rename(from, path);
    const cached = { key, path, bytes, isVerified: false, isAwaited: false, pins: 0, isDropped: false };
    free();
    this.#contents.add(cached);
    this.#verified(cached);
  }

  #verified(cached: CachedObject): void {
    cached.isVerified = true;
    cached.isAwaited = true;
    setImmediate(() => {
      cached.isAwaited = false;
    });
  }

  #crowded(bytes: number): FrameholdError {
    const { bytesMax } = this.#options;
    if (bytes > bytesMax)
      return new FrameholdError(
        'disk_full',
        `The object has ${bytes} bytes, and the cache of this node holds ${bytesMax}.`,
        {
          hint: 'Raise storage.cache_size_gb.',
        },
      );
    return new FrameholdError(
      'overloaded',
      `The cache of this node is full of objects that are being read.`,
      {
        hint: 'Try again in a moment. If it stays so, raise storage.cache_size_gb.',
      },
    );
  }
}

function directoriesOf(directory: string) {
  return { objects: join(directory, 'objects'), fetched: join(directory, 'fetched') };
}

async function isReadable(path: string): Promise<boolean> {
  return await access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
}
