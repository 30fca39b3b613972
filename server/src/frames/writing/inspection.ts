import { type Caller, refuseEnded } from '../../model/caller.ts';
import { FrameholdError } from '../../model/errors.ts';
import { orderedId } from '../../model/handle.ts';
import type { InspectReport, InspectRequest, TextFormat } from '../../ports/codec.ts';
import type { StagedFile } from '../../ports/object-store.ts';
import type { Step } from '../access/audit.ts';
import type { InspectionSession, PutTarget } from '../frames.ts';
import { arrowKey } from '../objects/part-keys.ts';
import { PendingWrites } from './pending-writes.ts';
import type { PutDependencies } from './put.ts';

export interface InspectionRequest {
  readonly caller: Caller;
  readonly target: PutTarget;
  /** The body is the beginning of a file. */
  readonly partial: boolean;
  readonly signal: AbortSignal;
  /** Runs what the caller asks for: a refusal is in the audit log. */
  readonly step: Step;
  /** Called once, however it ends. */
  readonly onEnd: () => void;
}

/** A put that stores nothing: the bytes are staged, a decoder looks at them, and they are discarded. */
export class Inspection implements InspectionSession {
  readonly #dependencies: PutDependencies;
  readonly #request: InspectionRequest;
  readonly #format: TextFormat;
  readonly #upload: StagedFile;
  readonly #writes: PendingWrites;
  #ended = false;

  private constructor(
    dependencies: PutDependencies,
    request: InspectionRequest,
    format: TextFormat,
    upload: StagedFile,
  ) {
    this.#dependencies = dependencies;
    this.#request = request;
    this.#format = format;
    this.#upload = upload;
    this.#writes = new PendingWrites(upload, () => {});
  }

  static async begin(dependencies: PutDependencies, request: InspectionRequest): Promise<Inspection> {
    const { caller, target } = request;
    const format = textFormat(target.format);
    await dependencies.diskBudget.demand(target.bytesAnnounced ?? 0);
    return new Inspection(
      dependencies,
      request,
      format,
      await dependencies.store.staging.file(arrowKey(caller.tenant, orderedId())),
    );
  }

  write(buffers: readonly Uint8Array[]): Promise<void> {
    return this.#request.step(() => this.#write(buffers));
  }

  finish(): Promise<InspectReport> {
    return this.#request.step(() => this.#finish());
  }

  async #write(buffers: readonly Uint8Array[]): Promise<void> {
    if (this.#ended) throw new FrameholdError('cancelled', 'The dry run has ended: it takes nothing more.');
    this.#request.signal.throwIfAborted();
    await this.#dependencies.diskBudget.take(buffers.reduce((sum, buffer) => sum + buffer.byteLength, 0));
    await this.#writes.write(buffers);
  }

  async #finish(): Promise<InspectReport> {
    const { caller, target, partial, signal } = this.#request;
    try {
      refuseEnded(caller);
      await this.#writes.flush();
      const request = { format: this.#format, source: this.#upload.path, csv: target.csv ?? {}, partial };
      return await this.#dependencies.codec.inspect({ ...request, ...(await this.#frameTypes()) }, signal);
    } finally {
      await this.abort();
    }
  }

  async #frameTypes(): Promise<Pick<InspectRequest, 'frame'>> {
    const { caller, target } = this.#request;
    if (target.mode !== 'append' || target.name === null) return {};
    const { catalog, now } = this.#dependencies;
    return { frame: (await catalog.resolve(caller.tenant, target.name, null, now())).schema };
  }

  async abort(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    try {
      await this.#writes.flush().catch(() => {});
      await this.#upload.discard();
    } finally {
      this.#request.onEnd();
    }
  }
}

function textFormat(format: PutTarget['format']): TextFormat {
  if (format === 'csv' || format === 'ndjson' || format === 'json') return format;
  throw new FrameholdError('bad_request', `dry_run is for CSV and JSON, and the body is ${format}.`, {
    hint: 'Arrow and Parquet files contain their types: upload the file without dry_run.',
  });
}
