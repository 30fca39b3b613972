import type {
  Diff,
  FramePage,
  ImportReport,
  Manifest,
  ManifestSummary,
  Statistics,
  VersionPage,
} from './answers.ts';
import type { CallOptions, PageOptions } from './call-options.ts';
import { columnsParameter } from './columns-parameter.ts';
import { badArgument, FrameholdError } from './errors.ts';
import type { FollowOptions } from './follow/follow-frame.ts';
import {
  type FollowedBatch,
  type FollowedText,
  type FollowTextOptions,
  followRows,
  followText,
} from './follow/followed-rows.ts';
import { FrameNotesCalls } from './frame-notes.ts';
import { parseAnswer, pathPart, type Transport } from './transport.ts';
import { type FormatOptions, type PutOptions, sendUpload, type UploadBody } from './uploads.ts';

export interface ListOptions extends PageOptions {
  readonly prefix?: string;
  /** Only frames whose names or notes contain this text. A page may be empty although there is a next one. Not together with `prefix`. */
  readonly search?: string;
}

/** One of both; null lets the name live until it is dropped. */
export type Expiry = { readonly ttl: string | null } | { readonly expiresAt: string | null };

/** What the server allows in one page. */
const pageMax = 1_000;
/** Enough to find the delimiter and the types of almost any file, and sent in a moment. */
const inspectedBytes = 16 * 1024 * 1024;

/** Frames by name: `fh.frames`. */
export class Frames extends FrameNotesCalls {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  async list({ prefix, search, limit, cursor, signal }: ListOptions = {}): Promise<FramePage> {
    return await this.#transport.json('v1/frames', { parameters: { prefix, search, limit, cursor }, signal });
  }

  /** All names, page by page. */
  async *all(
    options: Omit<ListOptions, 'limit' | 'cursor'> = {},
  ): AsyncGenerator<ManifestSummary, void, void> {
    let cursor: string | null = null;
    do {
      const page: FramePage = await this.list({
        ...options,
        limit: pageMax,
        ...(cursor === null ? {} : { cursor }),
      });
      yield* page.frames;
      cursor = page.next;
    } while (cursor !== null);
  }

  /** `link` reads a version that a link was made for, without a token. */
  async get(
    handle: string,
    { link, signal }: CallOptions & { readonly link?: string } = {},
  ): Promise<Manifest> {
    return await this.#transport.json(framePath(handle), { parameters: { link }, signal });
  }

  /** Stores the body under a name, or under one that the server chooses if it is null. */
  async put(name: string | null, body: UploadBody, options: PutOptions = {}): Promise<Manifest> {
    const target =
      name === null
        ? ({ method: 'POST', path: 'v1/frames' } as const)
        : ({ method: 'PUT', path: framePath(name) } as const);
    const text = await sendUpload(this.#transport, {
      ...target,
      parameters: { ttl: options.ttl },
      body,
      options: await this.#guarded(name, options),
    });
    return parseAnswer(text);
  }

  async append(
    name: string,
    body: UploadBody,
    options: Omit<PutOptions, 'ttl' | 'ifNoneMatch'> = {},
  ): Promise<Manifest> {
    const path = `${framePath(name)}/rows`;
    const guarded = await this.#guarded(name, options);
    const text = await sendUpload(this.#transport, {
      method: 'POST',
      path,
      parameters: {},
      body,
      options: guarded,
    });
    return parseAnswer(text);
  }

  /** Rows as they are added to a frame, each once and in order; waits for more, over restarts of the server. */
  follow(name: string, options: FollowOptions = {}): AsyncGenerator<FollowedBatch, void, void> {
    return followRows(this.#transport, name, options);
  }

  /** The same as text, at most 10,000 rows at a time. */
  followText(name: string, options: FollowTextOptions): AsyncGenerator<FollowedText, void, void> {
    return followText(this.#transport, name, options);
  }

  /** What a put of this CSV or JSON would find. Of a file, only the beginning is sent. */
  async inspect(body: Blob | Uint8Array | string, options: FormatOptions = {}): Promise<ImportReport> {
    const { beginning, isPartial } = beginningOf(body);
    const text = await sendUpload(this.#transport, {
      method: 'POST',
      path: 'v1/frames',
      parameters: { dry_run: true, partial: isPartial ? true : undefined },
      body: beginning,
      options,
    });
    return parseAnswer(text);
  }

  /** Drops a name, or one version. A name can be undropped for a while, unless it was purged. */
  async drop(
    handle: string,
    { purge, ifMatch, signal }: CallOptions & { readonly purge?: boolean; readonly ifMatch?: string } = {},
  ): Promise<void> {
    await this.#transport.done(framePath(handle), {
      method: 'DELETE',
      parameters: { purge },
      headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
      signal,
    });
  }

  async undrop(name: string, { signal }: CallOptions = {}): Promise<Manifest> {
    return await this.#transport.json(`${framePath(name)}/undrop`, { method: 'POST', signal });
  }

  /** Newest first. */
  async versions(name: string, { limit, cursor, signal }: PageOptions = {}): Promise<VersionPage> {
    return await this.#transport.json(`${framePath(name)}/versions`, {
      parameters: { limit, cursor },
      signal,
    });
  }

  /** Makes an earlier version the newest. */
  async restore(
    name: string,
    version: number,
    { idempotencyKey, signal }: CallOptions & { readonly idempotencyKey?: string } = {},
  ): Promise<Manifest> {
    return await this.#transport.json(`${framePath(name)}/restore`, {
      method: 'POST',
      parameters: { version },
      headers: idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey },
      signal,
    });
  }

  async setExpiry(name: string, expiry: Expiry, { signal }: CallOptions = {}): Promise<Manifest> {
    return await this.#transport.json(framePath(name), {
      method: 'PATCH',
      json: JSON.stringify(expiry),
      signal,
    });
  }

  /** How many versions of the name are kept; null: as many as of other frames. */
  async keepVersions(
    name: string,
    versionsKeep: number | null,
    { signal }: CallOptions = {},
  ): Promise<Manifest> {
    return await this.#transport.json(framePath(name), {
      method: 'PATCH',
      json: JSON.stringify({ versionsKeep }),
      signal,
    });
  }

  /** Computed once for each version. */
  async statistics(
    handle: string,
    { columns, signal }: CallOptions & { readonly columns?: readonly string[] } = {},
  ): Promise<Statistics> {
    const parameters = { columns: columnsParameter(columns) };
    return await this.#transport.json(`${framePath(handle)}/statistics`, { parameters, signal });
  }

  /** What changed between two versions. */
  async diff(name: string, from: number, to: number, { signal }: CallOptions = {}): Promise<Diff> {
    return await this.#transport.json(`${framePath(name)}/diff`, { parameters: { from, to }, signal });
  }

  async #guarded(name: string | null, options: PutOptions): Promise<PutOptions> {
    const { ifVersion, ifMatch, signal } = options;
    if (ifVersion === undefined) return options;
    if (name === null || ifMatch !== undefined)
      throw badArgument(
        'ifVersion is for a frame with a name, and not together with ifMatch.',
        'Leave one of them out.',
      );
    return { ...options, ifMatch: await this.#tagOf(name, ifVersion, signal) };
  }

  async #tagOf(name: string, version: number, signal: AbortSignal | undefined): Promise<string> {
    try {
      const answer = await this.#transport.send(framePath(`${name}@${version}`), { signal });
      await answer.body?.cancel();
      return answer.headers.get('etag') ?? '';
    } catch (error) {
      // Many changes later it is not kept any more.
      const isGone = error instanceof FrameholdError && (error.status === 404 || error.status === 410);
      throw isGone ? notNewest(name, version, error) : error;
    }
  }
}

export function framePath(handle: string): string {
  return `v1/frames/${pathPart(handle)}`;
}

function notNewest(name: string, version: number, cause: FrameholdError): FrameholdError {
  return new FrameholdError({
    code: 'version_mismatch',
    status: 412,
    title: 'The frame has another version',
    detail: `Version ${version} of ${JSON.stringify(name)} is not the newest: it is gone, or never existed.`,
    hint: 'Read the newest version and repeat the change.',
    requestId: cause.requestId,
    cause,
  });
}

function beginningOf(body: Blob | Uint8Array | string): {
  readonly beginning: Blob | Uint8Array | string;
  readonly isPartial: boolean;
} {
  const whole = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  const isPartial = (whole instanceof Blob ? whole.size : whole.length) > inspectedBytes;
  if (!isPartial) return { beginning: body, isPartial };
  if (!(whole instanceof Blob)) return { beginning: whole.subarray(0, inspectedBytes), isPartial };
  const slice = whole.slice(0, inspectedBytes);
  // The name says what the format is.
  return { beginning: whole instanceof File ? new File([slice], whole.name) : slice, isPartial };
}
