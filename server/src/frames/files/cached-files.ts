import { LruCache } from '../../base/lru-cache.ts';
import { WaitingLine } from '../../base/waiting-line.ts';
import type { Clock } from '../../model/clock.ts';
import { FrameholdError } from '../../model/errors.ts';
import { handleTextOf } from '../../model/manifest.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { FileLayout } from '../../ports/catalog/files.ts';
import { pinnedWhile } from '../objects/pinned-while.ts';
import type { FileMaker } from './file-maker.ts';
import { PlacedPieces } from './file-pieces.ts';

export interface CachedFilesDependencies {
  readonly catalog: Pick<
    Catalog,
    'fileLayout' | 'useFileLayout' | 'endFileLayout' | 'pinForJob' | 'unpinForJob'
  >;
  readonly maker: Pick<FileMaker, 'make'>;
  readonly now: Clock;
  /** How long a caller waits. Default: 20 s. */
  readonly waitMs?: number;
}

interface Entry {
  readonly file: PlacedPieces;
  /** When the catalog last heard of its use. */
  usedAt: number;
}

/** How long a caller waits for a file that is being made. Clients of object stores give up after 30 s; their repeated request finds more of it done. */
const waitMsMax = 20_000;
/** Made at once: each holds a file, and a worker of which there are few. */
const madeAtOnce = 2;
/** Those that wait for their turn. */
const waitingMax = 64;
/** A larger version is not written in the background of a request. */
const makeMsMax = 60 * 60 * 1000;
/** Of all layouts that are kept. Forgotten ones come from the catalog. */
const memoryBytesMax = 64 * 1024 * 1024;
/** A larger layout counts as this much. It displaces all others and is cached by itself, because each range of its file needs it. */
const layoutBytesMax = memoryBytesMax - 1024;
/** The catalog need not hear of every range of a file. */
const useEveryMs = 60_000;

/** The layouts of files: in memory, in the catalog, or being made. */
export class CachedFiles {
  readonly #dependencies: CachedFilesDependencies;
  readonly #entries = new LruCache<Entry>({ bytesMax: memoryBytesMax });
  readonly #making = new Map<string, Promise<PlacedPieces>>();
  readonly #closing = new AbortController();
  readonly #line = new WaitingLine<void>();
  #active = 0;

  constructor(dependencies: CachedFilesDependencies) {
    this.#dependencies = dependencies;
  }

  /** file_not_ready if it takes longer than a caller would wait: it goes on, and the next request finds it. */
  async find(record: VersionRecord, signal: AbortSignal): Promise<PlacedPieces> {
    const key = keyOf(record);
    const entry = this.#entries.get(key);
    if (entry !== undefined && (await this.#isInForce(record, entry))) return entry.file;
    this.#entries.delete(key);
    return within(record, this.#make(key, record), this.#dependencies.waitMs ?? waitMsMax, signal);
  }

  /** One of its objects cannot be read: it is made anew when it is next asked for. */
  async end(record: VersionRecord, { etag }: FileLayout): Promise<void> {
    this.#entries.delete(keyOf(record));
    await this.#dependencies.catalog.endFileLayout(record.tenant, record.name, record.version, etag);
  }

  async close(): Promise<void> {
    const stopping = new FrameholdError('draining', 'The server is stopping.');
    this.#closing.abort(stopping);
    this.#line.refuseAll(stopping);
    await Promise.allSettled(this.#making.values());
  }

  async #isInForce({ tenant, name, version }: VersionRecord, entry: Entry): Promise<boolean> {
    const { catalog, now } = this.#dependencies;
    const at = now();
    if (at - entry.usedAt < useEveryMs) return true;
    if (!(await catalog.useFileLayout(tenant, name, version, entry.file.layout.etag, at))) return false;
    entry.usedAt = at;
    return true;
  }

  #make(key: string, record: VersionRecord): Promise<PlacedPieces> {
    let making = this.#making.get(key);
    if (making === undefined) {
      making = this.#begin(key, record).finally(() => this.#making.delete(key));
      // Callers that wait get the failure; there may be none left.
      making.catch(() => {});
      this.#making.set(key, making);
    }
    return making;
  }

  async #begin(key: string, record: VersionRecord): Promise<PlacedPieces> {
    const { catalog, now } = this.#dependencies;
    const { tenant, name, version } = record;
    const at = now();
    const known = await catalog.fileLayout(tenant, name, version);
    if (known !== null && (await catalog.useFileLayout(tenant, name, version, known.etag, at)))
      return this.#add(key, known, at);
    return pinnedWhile(this.#dependencies, record, 'file-being-made', () =>
      this.#makeInTurn(key, record, at),
    );
  }

  async #makeInTurn(key: string, record: VersionRecord, at: number): Promise<PlacedPieces> {
    const { maker } = this.#dependencies;
    await this.#turn(record.tenant);
    try {
      const signal = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(makeMsMax)]);
      return this.#add(key, await maker.make(record, signal), at);
    } finally {
      this.#active -= 1;
      this.#line.serve();
    }
  }

  async #turn(tenant: string): Promise<void> {
    this.#closing.signal.throwIfAborted();
    const begin = () => {
      this.#active += 1;
    };
    if (this.#active < madeAtOnce) begin();
    else await this.#line.wait(tenant, begin, { max: waitingMax, full: tooMany });
  }

  #add(key: string, layout: FileLayout, usedAt: number): PlacedPieces {
    const file = new PlacedPieces(layout);
    this.#entries.set(key, { file, usedAt }, Math.min(file.memoryBytes, layoutBytesMax));
    return file;
  }
}

/** A frame that came back after a drop has another incarnation: its layout ended with the drop. */
function keyOf({ versionId, incarnation = 0 }: VersionRecord): string {
  return `${versionId}.${incarnation}`;
}

function tooMany(): FrameholdError {
  return new FrameholdError('overloaded', `${waitingMax} files wait to be made.`, {
    hint: 'Try again in a moment.',
  });
}

async function within<Value>(
  record: VersionRecord,
  made: Promise<Value>,
  waitMs: number,
  signal: AbortSignal,
): Promise<Value> {
  let stop = () => {};
  const ended = new Promise<never>((_, reject) => {
    const leave = () => reject(signal.reason);
    const timer = setTimeout(() => reject(notReady(record, waitMs)), waitMs);
    signal.addEventListener('abort', leave, { once: true });
    stop = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    };
  });
  try {
    signal.throwIfAborted();
    return await Promise.race([made, ended]);
  } finally {
    stop();
  }
}

function notReady(record: VersionRecord, waitMs: number): FrameholdError {
  return new FrameholdError(
    'file_not_ready',
    `${handleTextOf(record)} is still being written as a Parquet file, which took longer than ${waitMs / 1_000} s.`,
    { hint: 'Repeat the request: the work continues in the background.' },
  );
}
