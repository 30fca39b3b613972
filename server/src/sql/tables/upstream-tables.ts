import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AccessGuard } from '../../frames/access/access-guard.ts';
import type { DiskBudget } from '../../frames/limits/disk-budget.ts';
import { arrowKey, parquetKey, tenantOfKey } from '../../frames/objects/part-keys.ts';
import { PendingWrites } from '../../frames/writing/pending-writes.ts';
import type { Caller } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import { orderedId } from '../../model/handle.ts';
import type { Admission } from '../../model/limits/admission.ts';
import { tsdbNotConfigured } from '../../model/upstream-refusals.ts';
import type { CheckReport, Codec } from '../../ports/codec.ts';
import type { ObjectStore, StagedFile } from '../../ports/object-store.ts';
import type { ExportRequest, Upstream } from '../../ports/upstream.ts';

export interface UpstreamTablesDependencies {
  /** null: none is configured. */
  readonly upstream: Upstream | null;
  readonly store: ObjectStore;
  readonly codec: Codec;
  readonly diskBudget: DiskBudget;
  /** Those of uploads: what is fetched is one. */
  readonly puts: Admission;
  readonly access: AccessGuard;
}

/** The rows of a query of the external database, as private Parquet files. */
export interface UpstreamTable {
  /** IPC schema message of the rows. */
  readonly schemaMessage: Uint8Array;
  /** In row order. */
  readonly files: readonly string[];
  readonly rows: number;
  /** Of the files. */
  readonly bytes: number;
  /** Removes the files. Safe at any time, and again. */
  release(): Promise<void>;
}

/**
 * Fetches what `tsdb('…')` names. It is treated like an upload: admitted, limited, decoded and checked in workers. All files are
 * in the staging directories, which are emptied at start.
 */
export class UpstreamTables {
  readonly #dependencies: UpstreamTablesDependencies;
  readonly #bodyBytesMax: number;

  constructor(dependencies: UpstreamTablesDependencies, bodyBytesMax: number) {
    this.#dependencies = dependencies;
    this.#bodyBytesMax = bodyBytesMax;
  }

  /** All rows. Refusals are those of `Upstream.exportParquet` and of an upload. */
  fetch(caller: Caller, query: string, signal: AbortSignal): Promise<UpstreamTable> {
    return this.#table(caller, query, 'all', signal);
  }

  /** The columns, and no rows. */
  describe(caller: Caller, query: string, signal: AbortSignal): Promise<UpstreamTable> {
    return this.#table(caller, query, 'none', signal);
  }

  async #table(
    caller: Caller,
    query: string,
    rows: ExportRequest['rows'],
    signal: AbortSignal,
  ): Promise<UpstreamTable> {
    const { puts, store, diskBudget, access } = this.#dependencies;
    const upstream = this.#dependencies.upstream;
    if (upstream === null) throw tsdbNotConfigured();
    // Before each request that is sent, and each may have waited: for a place here, for a connection, for the database itself.
    const begin = () => access.checkCurrent(caller, 'tsdb.query', null);
    const request = { query, rows, begin };
    const leave = await puts.enter(signal, caller.tenant);
    const staged: StagedFile[] = [];
    const stage = async (key: string) => {
      const file = await store.staging.file(key);
      staged.push(file);
      return file;
    };
    try {
      const id = orderedId();
      const key = arrowKey(caller.tenant, id);
      await diskBudget.demand(0);
      const fetched = await stage(key);
      await this.#receive(upstream, request, fetched, signal);
      const arrow = await stage(key);
      const report = await this.#decoded(fetched, arrow, signal);
      return await this.#transcoded(id, arrow, report, signal);
    } finally {
      await Promise.all(staged.map((file) => file.discard()));
      leave();
    }
  }

  async #receive(
    upstream: Upstream,
    request: ExportRequest,
    file: StagedFile,
    signal: AbortSignal,
  ): Promise<void> {
    const writes = new PendingWrites(file, () => {});
    let bytes = 0;
    try {
      await upstream.exportParquet(
        request,
        async (chunk) => {
          bytes += chunk.length;
          if (bytes > this.#bodyBytesMax) throw tooLarge(this.#bodyBytesMax);
          await this.#dependencies.diskBudget.take(chunk.length);
          await writes.write([chunk]);
        },
        signal,
      );
    } catch (thrown) {
      await writes.flush().catch(() => {});
      throw thrown;
    }
    await writes.flush();
  }

  async #decoded(fetched: StagedFile, arrow: StagedFile, signal: AbortSignal): Promise<CheckReport> {
    const { codec, diskBudget } = this.#dependencies;
    const request = {
      format: 'parquet',
      source: fetched.path,
      target: arrow.path,
      csv: {},
      plainNanoseconds: true,
    } as const;
    try {
      await diskBudget.during(signal, (during) => codec.decode(request, during));
      await fetched.discard();
      const { size } = await stat(arrow.path);
      const check = codec.check(arrow.path);
      const onAbort = () => check.cancel();
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        return await check.finish(size);
      } finally {
        signal.removeEventListener('abort', onAbort);
        signal.throwIfAborted();
      }
    } catch (thrown) {
      if (thrown instanceof FrameholdError && thrown.kind === 'bad_body') {
        throw new FrameholdError(
          'tsdb_failed',
          `The external database answered with rows that cannot be read: ${thrown.message}`,
          { hint: 'Ask for fewer columns, to find the one that it writes wrongly.', cause: thrown },
        );
      }
      throw thrown;
    }
  }

  async #transcoded(
    id: string,
    arrow: StagedFile,
    report: CheckReport,
    signal: AbortSignal,
  ): Promise<UpstreamTable> {
    const { store, codec, diskBudget } = this.#dependencies;
    const target = {
      source: arrow.path,
      sha256: report.sha256,
      targetDirectory: store.staging.directory(parquetKey(tenantOfKey(arrow.key), id, 0)),
      targetPrefix: id,
      interactive: true,
    };
    const { files, refusal } = await diskBudget
      .during(signal, (during) => codec.transcode(target, during))
      .catch(async (thrown: unknown) => {
        await removeWritten(target.targetDirectory, id);
        throw thrown;
      });
    if (refusal !== null)
      throw new FrameholdError(
        'tsdb_failed',
        `The external database answered with rows that cannot be kept: ${refusal}`,
      );
    return {
      schemaMessage: report.schema.message,
      files: files.map(({ path }) => path),
      rows: report.rows,
      bytes: files.reduce((sum, file) => sum + file.bytes, 0),
      release: async () => {
        await Promise.all(files.map(({ path }) => rm(path, { force: true })));
      },
    };
  }
}

/** A worker that was ended leaves what it had written. */
async function removeWritten(directory: string, prefix: string): Promise<void> {
  for (const name of await readdir(directory))
    if (name.startsWith(prefix)) await rm(join(directory, name), { force: true });
}

function tooLarge(bytesMax: number): FrameholdError {
  return new FrameholdError(
    'body_too_large',
    `The external database answered with more than the ${bytesMax} bytes that a body may have.`,
    { hint: 'Ask for fewer rows or columns in tsdb(), or raise http.body_bytes_max.' },
  );
}
