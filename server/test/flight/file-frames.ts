import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { join } from 'node:path';
import { MessageReader } from '../../src/arrow/ipc/message-reader.ts';
import type {
  ExpiryChange,
  Frames,
  KeepChange,
  PutOutcome,
  PutSession,
  PutTarget,
  ReadRange,
  SplitVersion,
} from '../../src/frames/frames.ts';
import { rowRanges } from '../../src/frames/locality/row-ranges.ts';
import { type Caller, openCaller } from '../../src/model/caller.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import { type Handle, mintName, parseName } from '../../src/model/handle.ts';
import type { VersionRecord } from '../../src/model/version.ts';
import type { ListPage, VersionsPage } from '../../src/ports/catalog/versions.ts';
import type { Reading } from '../../src/ports/reading.ts';
import type { IpcMessage, Renderer } from '../../src/ports/renderer.ts';

interface Kept {
  readonly record: VersionRecord;
  readonly path: string;
}

/** A core of a hundred lines for the listener's own tests: versions in a map, bytes in files, nothing checked or durable. */
export class FileFrames implements Frames {
  readonly #folder: string;
  readonly #names = new Map<string, Kept[]>();
  readonly targets: PutTarget[] = [];
  #files = 0;
  /** Puts begun, committed and given up, readings not released. */
  readonly counts = { begun: 0, committed: 0, aborted: 0, readings: 0 };
  /** Awaited by every write, so that a test can hold a put back. */
  gate: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.#folder = folder;
  }

  async beginInspection(): Promise<never> {
    throw new FrameholdError('internal', 'Flight has no dry run.');
  }

  async replayed(): Promise<null> {
    return null;
  }

  async beginPutFiles(): Promise<never> {
    throw new FrameholdError('internal', 'Flight puts no files.');
  }

  async beginPut(caller: Caller, target: PutTarget, signal: AbortSignal): Promise<PutSession> {
    signal.throwIfAborted();
    const name = target.name === null ? mintName() : parseName(target.name);
    if (target.mode === 'create' && this.#names.has(name))
      throw new FrameholdError('frame_exists', `${name} exists.`, { hint: 'Use another mode.' });
    if (target.mode === 'append') this.#find({ name, version: null });
    this.targets.push(target);
    this.counts.begun++;
    const path = join(this.#folder, `${++this.#files}.arrow`);
    const file = await open(path, 'w');
    let ended = false;
    return {
      write: async (buffers) => {
        await this.gate;
        signal.throwIfAborted();
        await file.writev(buffers as Uint8Array[]);
      },
      sent: async () => {},
      finish: async () => {
        const outcome = await this.#commit(caller, name, target, path);
        ended = true;
        this.counts.committed++;
        await file.close();
        return outcome;
      },
      abort: async () => {
        if (ended) return;
        ended = true;
        this.counts.aborted++;
        await file.close();
      },
    };
  }

  async resolve(_caller: Caller, handle: Handle): Promise<VersionRecord> {
    return this.#find(handle).record;
  }

  async split(caller: Caller, handle: Handle, rangesMax: number): Promise<SplitVersion> {
    const record = await this.resolve(caller, handle);
    return { record, ranges: rowRanges(record.rows, rangesMax, []) };
  }

  async names(caller: Caller, page: ListPage<boolean>): Promise<readonly string[]> {
    return (await this.list(caller, page)).map(({ name }) => name);
  }

  async list(_caller: Caller, page: ListPage<boolean>): Promise<readonly VersionRecord[]> {
    const names = [...this.#names.keys()].filter((name) => name.startsWith(page.prefix)).sort();
    const after = names.filter((name) => page.after === null || name.toLowerCase() > page.after);
    return after.slice(0, page.limit).map((name) => this.#find({ name, version: null }).record);
  }

  async versions(
    _caller: Caller,
    name: string,
    page: VersionsPage<boolean>,
  ): Promise<readonly VersionRecord[]> {
    const kept = (this.#names.get(name) ?? []).map((each) => each.record).reverse();
    return kept.filter(({ version }) => page.before === null || version < page.before).slice(0, page.limit);
  }

  async read(_caller: Caller, handle: Handle, _range: ReadRange): Promise<Reading> {
    const { record, path } = this.#find(handle);
    this.counts.readings++;
    const sources = [{ rows: record.rows, kind: 'arrow' as const, paths: [path] }];
    const release = () => {
      this.counts.readings--;
    };
    return { record, sources, columns: null, offset: 0, rowCount: record.rows, release };
  }

  async drop(_caller: Caller, handle: Handle): Promise<void> {
    this.#find(handle);
    this.#names.delete(handle.name);
  }

  async undrop(): Promise<never> {
    throw new FrameholdError('frame_gone', 'Nothing is kept.');
  }

  async restore(): Promise<never> {
    throw new FrameholdError('frame_gone', 'Nothing is kept.');
  }

  async expire(_caller: Caller, name: string, { expires }: ExpiryChange): Promise<VersionRecord> {
    const kept = this.#names.get(name) ?? [];
    const { record, path } = this.#find({ name, version: null });
    const expiresAt = expires === null || 'at' in expires ? null : record.createdAt + expires.ttlMs;
    const changed = { ...record, expiresAt };
    kept[kept.length - 1] = { record: changed, path };
    return changed;
  }

  async pins(): Promise<readonly []> {
    return [];
  }

  async keepVersions(_caller: Caller, name: string, { versionsKeep }: KeepChange): Promise<VersionRecord> {
    const { record } = this.#find({ name, version: null });
    return versionsKeep === null ? record : { ...record, versionsKeep };
  }

  /** Makes a stream that is already in a file readable under a name. */
  async adopt(name: string, path: string): Promise<void> {
    const target: PutTarget = { name, mode: 'replace', format: 'arrow', originFormat: 'flight' };
    await this.#commit(openCaller, name, target, path);
  }

  /** The file of each name's newest version. */
  paths(): Record<string, string> {
    const newest = [...this.#names].flatMap(([name, kept]) => kept.slice(-1).map(({ path }) => [name, path]));
    return Object.fromEntries(newest);
  }

  async #commit(caller: Caller, name: string, target: PutTarget, path: string): Promise<PutOutcome> {
    const file = await open(path);
    const bytes = (await file.stat()).size;
    const schema = await new MessageReader(sourceOf(file)).next();
    await file.close();
    if (schema === null) throw new FrameholdError('bad_body', 'no schema');
    const kept = this.#names.get(name) ?? [];
    const created = kept.length === 0;
    const record: VersionRecord = {
      tenant: caller.tenant,
      name,
      version: kept.length + 1,
      versionId: `id-${name}-${kept.length + 1}`,
      frameId: `id-${name}`,
      createdAt: Date.UTC(2026, 0, 1),
      expiresAt: target.ttlMs == null ? null : Date.UTC(2026, 0, 1) + target.ttlMs,
      rows: 3,
      bytes,
      partCount: 1,
      origin: { kind: 'upload', format: target.originFormat },
      schema: {
        hash: createHash('sha256').update(schema.header).digest('hex'),
        message: schema.header,
        columns: [],
      },
    };
    this.#names.set(name, [...kept, { record, path }]);
    return { record, created, replayed: false, expired: null };
  }

  #find({ name, version }: Handle): Kept {
    const kept = this.#names.get(name) ?? [];
    const found = version === null ? kept.at(-1) : kept[version - 1];
    if (found === undefined)
      throw new FrameholdError('frame_not_found', `There is no frame ${name}.`, { hint: 'Put it first.' });
    return found;
  }
}

export class FileRenderer implements Renderer {
  async *messages(reading: Reading, signal: AbortSignal): AsyncIterable<IpcMessage> {
    const file = await open(reading.sources[0]?.paths[0] ?? '');
    try {
      const reader = new MessageReader(sourceOf(file));
      await reader.next();
      for (let message = await reader.next(); message !== null; message = await reader.next()) {
        signal.throwIfAborted();
        yield message;
      }
    } finally {
      await file.close();
    }
  }

  async schemaMessage(reading: Reading): Promise<Uint8Array> {
    return reading.record.schema.message;
  }

  render(): never {
    throw new Error('the Flight listener renders nothing');
  }

  renderStream(): never {
    throw new Error('the Flight listener renders nothing');
  }

  async close(): Promise<void> {}
}

function sourceOf(file: FileHandle) {
  return {
    read: async (target: Uint8Array, position: number) =>
      (await file.read(target, 0, target.length, position)).bytesRead,
  };
}
