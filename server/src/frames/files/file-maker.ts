import { createHash } from 'node:crypto';
import { waitingFor } from '../../base/request-time.ts';
import { FrameholdError } from '../../model/errors.ts';
import { orderedId } from '../../model/handle.ts';
import type { PartRecord, StoredObject, VersionRecord } from '../../model/version.ts';
import type { FileLayout, FileObject } from '../../ports/catalog/files.ts';
import type { JoinableFile, ParquetJoiner, PlacedFile } from '../../ports/parquet-joiner.ts';
import type { Renderer } from '../../ports/renderer.ts';
import { parquetKey } from '../objects/part-keys.ts';
import type { PartTranscoding, TranscodingDependencies } from '../parts/part-transcoding.ts';
import { inTurns } from '../parts/statement-transcoding.ts';
import { frameDamaged } from '../reading/frame-damaged.ts';
import { openVersion } from '../reading/open-version.ts';
import { repeatIfUnknown } from '../unknown-outcome.ts';
import { chunkOrder } from './chunk-order.ts';
import { PieceWriter } from './file-pieces.ts';
import { type Segment, segmentsOf, untranscodedParts } from './file-segments.ts';

export interface FileMakerDependencies extends TranscodingDependencies {
  readonly transcoding: PartTranscoding;
  readonly renderer: Pick<Renderer, 'render'>;
  readonly joiner: ParquetJoiner;
}

/** Each round transcodes or writes what the one before found missing; parts may be compacted or found damaged in between. */
const roundsMax = 8;
/** Of Arrow, that is written as one object: some seconds of work, and small enough for the memory of the Parquet library. */
const sliceBytes = 64 * 1024 * 1024;
/** The number of a row group has 16 bits. */
const groupsMax = 32_767;
/** Footers and page indexes of all files together: a worker holds them while it writes the end, and every reader loads the footer. */
const besideBytesMax = 256 * 1024 * 1024;
/** Part of the ETag: files that are put together in another way are other files. */
const algorithm = 1;
/** Every Parquet file begins with these. */
const magicBytes = 4;

/** What is known about a version from the rounds before. */
interface Findings {
  /** Parts whose row groups cannot be used as they are. */
  readonly unlike: Set<string>;
  /** Parts that were transcoded once, or could not be. */
  readonly transcoded: Set<string>;
  /** No stored row groups are used: they differ from what is written now. */
  writesAll: boolean;
}

/** An object of the file that is open on this machine. */
interface OpenPiece {
  readonly object: StoredObject;
  readonly path: string;
  readonly isOwn: boolean;
  readonly file: JoinableFile;
}

/** Makes a version one Parquet file: stored row groups stay where they are, and what is missing is written beside them. */
export class FileMaker {
  readonly #dependencies: FileMakerDependencies;

  constructor(dependencies: FileMakerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Records the layout in the catalog, too. not_representable if Parquet cannot hold the version. */
  async make(record: VersionRecord, signal: AbortSignal): Promise<FileLayout> {
    refuseWithoutColumns(record);
    const findings: Findings = { unlike: new Set(), transcoded: new Set(), writesAll: false };
    for (let round = 1; round <= roundsMax; round++) {
      const { catalog } = this.#dependencies;
      const parts = await catalog.parts(record.tenant, record.name, record.version, record.versionId);
      signal.throwIfAborted();
      const missing = untranscodedParts(parts).filter(({ id }) => !findings.transcoded.has(id));
      if (missing.length > 0) {
        await this.#transcode(record, missing, findings, signal);
        continue;
      }
      const mayStay = ({ id }: PartRecord) => !findings.writesAll && !findings.unlike.has(id);
      const making = new Making(this.#dependencies, record, findings, signal);
      const layout = await making.run(segmentsOf(parts, mayStay));
      if (layout !== null) return layout;
    }
    throw new FrameholdError(
      'overloaded',
      `The frame ${record.name} changes faster than it can be made a file.`,
      { hint: 'Try again in a moment.' },
    );
  }

  async #transcode(
    record: VersionRecord,
    parts: readonly PartRecord[],
    { transcoded }: Findings,
    signal: AbortSignal,
  ): Promise<void> {
    const { transcoding } = this.#dependencies;
    await inTurns(
      parts.map((part) => async (during) => {
        const outcome = await transcoding.transcode(part, { interactive: true }, during);
        // What Parquet refuses is written with the types of an export, or that says what is wrong.
        if (outcome.kind === 'disk-full') throw noRoom(record, outcome.reason);
        if (outcome.kind === 'failed') throw outcome.error;
        if (outcome.kind !== 'overtaken') transcoded.add(part.id);
      }),
      signal,
    );
  }
}

/** One try to make the file of a version. */
class Making {
  readonly #dependencies: FileMakerDependencies;
  readonly #record: VersionRecord;
  readonly #findings: Findings;
  readonly #signal: AbortSignal;
  readonly #attempt = orderedId();
  readonly #own: StoredObject[] = [];
  readonly #held: (() => void)[] = [];

  constructor(
    dependencies: FileMakerDependencies,
    record: VersionRecord,
    findings: Findings,
    signal: AbortSignal,
  ) {
    this.#dependencies = dependencies;
    this.#record = record;
    this.#findings = findings;
    this.#signal = signal;
  }

  /** null: what was found is in the findings, or the parts have changed. */
  async run(segments: readonly Segment[]): Promise<FileLayout | null> {
    const { catalog, now } = this.#dependencies;
    const { tenant, name, version } = this.#record;
    let isGiven = false;
    try {
      const layout = await this.#layout(segments);
      if (layout === null) return null;
      // From here on the catalog decides what happens to the objects.
      isGiven = true;
      const at = now();
      return await repeatIfUnknown(() => catalog.keepFileLayout(tenant, name, version, layout, at));
    } finally {
      for (const release of this.#held) release();
      if (!isGiven) await this.#removeOwn();
    }
  }

  async #layout(segments: readonly Segment[]): Promise<FileLayout | null> {
    const stored = await this.#openStored(segments);
    if (stored === null) return null;
    const pieces: OpenPiece[] = [];
    for (const segment of segments) {
      if (segment.kind === 'stored') {
        for (const { key } of segment.objects) pieces.push(stored.get(key) as OpenPiece);
        continue;
      }
      for (const [first, rows] of slicesOf(this.#record, segment))
        pieces.push(await this.#write(first, rows));
    }
    const [reference] = pieces;
    if (pieces.some(({ file }) => file.description !== reference?.file.description)) {
      if (this.#findings.writesAll) throw new Error('two exports of one schema describe it differently');
      this.#findings.writesAll = true;
      return null;
    }
    checkSize(this.#record, pieces);
    return this.#withEnd(pieces).catch(async (error) => {
      const others = pieces.filter(({ isOwn }) => !isOwn).map(({ object }) => object);
      if (await this.#dependencies.guard.explains(error, others)) return null;
      throw error;
    });
  }

  /** By key. null if some cannot be used. */
  async #openStored(segments: readonly Segment[]): Promise<ReadonlyMap<string, OpenPiece> | null> {
    const { guard } = this.#dependencies;
    const objects = segments.flatMap((segment) => (segment.kind === 'stored' ? segment.objects : []));
    if (!(await guard.admit(objects, this.#signal))) return null;
    const opened = await this.#open(objects, false).catch(async (error) => {
      if (await guard.explains(error, objects)) return null;
      throw error;
    });
    if (opened === null) return null;
    const places = new Map(opened.map((piece, index) => [objects[index]?.key ?? '', piece] as const));
    const description = opened.find((piece) => piece !== null)?.file.description;
    let areAlike = true;
    for (const segment of segments) {
      if (segment.kind !== 'stored') continue;
      const isLike = ({ key }: StoredObject) => places.get(key)?.file.description === description;
      // Without a description none of them holds the schema.
      if (description !== undefined && segment.objects.every(isLike)) continue;
      this.#findings.unlike.add(segment.partId);
      areAlike = false;
    }
    return areAlike ? (places as ReadonlyMap<string, OpenPiece>) : null;
  }

  /** null for one that does not hold the schema of the version. */
  async #open(objects: readonly StoredObject[], isOwn: boolean): Promise<readonly (OpenPiece | null)[]> {
    const { reader, joiner } = this.#dependencies;
    const { paths, release } = await reader.open(objects, this.#signal);
    this.#held.push(release);
    const schema = isOwn ? null : this.#record.schema.message;
    const files = await joiner.examine(paths, schema, this.#signal);
    return objects.map((object, index) => {
      const file = files[index] ?? null;
      return file === null ? null : { object, path: paths[index] as string, isOwn, file };
    });
  }

  /** Rows of the version, as an export writes them. */
  async #write(first: number, rows: number): Promise<OpenPiece> {
    const { renderer } = this.#dependencies;
    const record = this.#record;
    const opened = await openVersion(this.#dependencies, record, this.#signal, {
      offset: first,
      rowCount: rows,
    });
    const { sources, objects, rowsBefore, release } = opened;
    const reading = {
      record,
      sources,
      objects,
      columns: null,
      offset: first - rowsBefore,
      rowCount: rows,
      release,
    };
    const options = { format: 'parquet', query: '', quoteLargeNumbers: false } as const;
    const object = await this.#publish(
      renderer.render(reading, options, this.#signal),
      sources.reduce((sum, source) => sum + (source.bytes ?? 0), 0),
    ).finally(release);
    const [piece] = await this.#open([object], true);
    if (!piece) throw new Error('an export cannot be part of a file');
    return piece;
  }

  /** An object that only this file has. */
  async #publish(chunks: AsyncIterable<Uint8Array>, bytesExpected: number): Promise<StoredObject> {
    const { store, diskBudget } = this.#dependencies;
    const key = parquetKey(this.#record.tenant, this.#attempt, this.#own.length);
    if (!(await diskBudget.fits(key, bytesExpected)))
      throw noRoom(this.#record, `the disk has no room for ${bytesExpected} bytes above the reserve`);
    const staged = await store.staging.file(key);
    try {
      const hash = createHash('sha256');
      for await (const chunk of chunks) {
        hash.update(chunk);
        await staged.write([chunk]);
      }
      const object = { key, bytes: staged.bytesWritten, sha256: hash.digest('hex') };
      await waitingFor('store', store.publish(staged, object));
      this.#own.push(object);
      return object;
    } finally {
      await staged.discard();
    }
  }

  async #withEnd(pieces: readonly OpenPiece[]): Promise<FileLayout> {
    const writer = new PieceWriter();
    const starts = pieces.map(({ file }) => new Float64Array(file.chunks.length / 2).fill(magicBytes));
    writer.add(0, 0, magicBytes);
    for (const { file, chunk, start, bytes } of chunkOrder(pieces.map((piece) => piece.file))) {
      (starts[file] as Float64Array)[chunk] = writer.bytes;
      writer.add(file, start, bytes);
    }
    const files = pieces.map(({ path, file }, index): PlacedFile => {
      return { path, dataEnd: file.dataEnd, starts: starts[index] as Float64Array };
    });
    const { joiner } = this.#dependencies;
    const end = await this.#publish(
      joiner.end(files, writer.bytes, this.#record.rows, this.#signal),
      pieces.reduce((sum, { file }) => sum + file.besideBytes, 0),
    );
    writer.add(pieces.length, 0, end.bytes);
    const objects = [...pieces.map(({ object, isOwn }) => ({ ...object, isOwn })), { ...end, isOwn: true }];
    const placed = writer.finish();
    return { etag: etagOf(objects, placed), bytes: writer.bytes, objects, pieces: placed };
  }

  /** If they cannot be removed now, they are removed as orphans later. */
  async #removeOwn(): Promise<void> {
    const { store } = this.#dependencies;
    for (const { key } of this.#own) await store.remove(key).catch(() => {});
  }
}

/** Row ranges of about the same size. An empty segment is one of them. */
function* slicesOf(
  record: VersionRecord,
  { first, rows }: Segment & { readonly kind: 'rows' },
): Generator<readonly [first: number, rows: number], void, void> {
  const rowBytes = record.bytes / Math.max(1, record.rows);
  const sliceRows = Math.max(1, Math.floor(sliceBytes / Math.max(1, rowBytes)));
  if (rows === 0) yield [first, 0];
  for (let done = 0; done < rows; done += sliceRows) yield [first + done, Math.min(sliceRows, rows - done)];
}

/** Parquet counts rows in row groups, which are made of columns. */
function refuseWithoutColumns({ name, version, rows, schema }: VersionRecord): void {
  if (schema.columns.length > 0 || rows === 0) return;
  throw new FrameholdError(
    'not_representable',
    `${name}@${version} has ${rows} rows and no columns, which Parquet cannot hold.`,
    { hint: 'Read the frame as arrow.' },
  );
}

function checkSize(record: VersionRecord, pieces: readonly OpenPiece[]): void {
  const sum = (value: (file: JoinableFile) => number) =>
    pieces.reduce((total, { file }) => total + value(file), 0);
  // The catalog says how many rows there are. Other files mean that stored bytes are not what they were.
  if (sum(({ rows }) => rows) !== record.rows) throw frameDamaged(record);
  const groups = sum((file) => file.groups);
  const besideBytes = sum((file) => file.besideBytes);
  if (groups <= groupsMax && besideBytes <= besideBytesMax) return;
  throw new FrameholdError(
    'not_representable',
    `${record.name}@${record.version} is too large for one Parquet file: ${groups} row groups of at most ${groupsMax}, with ${besideBytes} bytes of metadata of at most ${besideBytesMax}.`,
    { hint: 'Read ranges of rows, or some columns, from /v1/frames/{handle}/rows.' },
  );
}

/** Strong: the content of the objects and the order of the pieces decide every byte. */
function etagOf(objects: readonly FileObject[], pieces: Uint8Array): string {
  const hash = createHash('sha256').update(JSON.stringify([algorithm, objects.map(({ sha256 }) => sha256)]));
  return hash.update(pieces).digest('base64url');
}

function noRoom({ name, version }: VersionRecord, reason: string): FrameholdError {
  return new FrameholdError('disk_full', `${name}@${version} cannot be made a file: ${reason}.`, {
    hint: 'Drop frames or free disk space, then retry. The reserve is storage.reserve_bytes.',
  });
}
