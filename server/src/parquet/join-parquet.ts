import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import type { Schema } from '../arrow/field.ts';
import { frameHeader } from '../arrow/ipc/framing.ts';
import { parseMessage } from '../arrow/ipc/message.ts';
import { joinBytes } from '../arrow/join-bytes.ts';
import { sameSchema } from '../arrow/schema/same-schema.ts';
import { exportedSchema } from './exported-columns.ts';
import { splitStream } from './ipc-piece.ts';
import {
  chunkFields,
  chunkOf,
  columnFields,
  type FooterPlace,
  fileFields,
  locationFields,
  magic,
  NotMovable,
  pageOffsetFields,
  readAt,
  readFooter,
  rowGroupFields,
} from './parquet-layout.ts';
import {
  hasField,
  readThrift,
  setThriftBytes,
  setThriftInt,
  setThriftStructs,
  type ThriftStruct,
  thriftBytes,
  thriftInt,
  thriftStructs,
  writeThrift,
} from './thrift-compact.ts';
import { transcodeNotes } from './transcode-notes.ts';

/**
 * One Parquet file out of the row groups of several, which are copied as they are. Only their places change: in a new footer, and in the indexes of pages,
 * which come behind all row groups. Nothing is decoded.
 */

/** Of a chunk, as when Arrow is passed through. */
const copyBytes = 256 * 1024;
/** Footers and page indexes of all files together: they are held in memory until the end of the answer. */
const besideBytesMax = 32 * 1024 * 1024;
/** The number of a row group has 16 bits. */
const groupsMax = 32_767;
const arrowSchemaKey = 'ARROW:schema';
/** Files of this library say what they hold in the same way as an export does. */
const library = 'parquet-rs ';
const keyField = 1;
const valueField = 2;

export interface JoinedFile {
  readonly path: string;
  /** Row groups are between the first four bytes and this. */
  readonly dataEnd: number;
  /** Where its column chunks begin in the joined file, in the order of `JoinableFile.chunks`. */
  readonly starts: Float64Array;
}

/** A file whose row groups can be those of another one. */
export interface JoinableFile {
  readonly dataEnd: number;
  readonly rows: number;
  readonly groups: number;
  /** Where each column chunk begins, and how many bytes it has: row group by row group. */
  readonly chunks: Float64Array;
  /** Its footer and its page indexes. */
  readonly besideBytes: number;
  /** A hash of what it says about all of its rows. Only files with the same one can be joined. */
  readonly description: string;
}

/** Null if the files cannot be joined to what an export of the schema would be: then it has to be encoded. */
export async function planJoin(
  paths: readonly string[],
  schema: Schema,
  rows: number,
): Promise<ParquetJoin | null> {
  const files: JoinedFile[] = [];
  let first: string | null = null;
  let rowsFound = 0;
  let groups = 0;
  let besideBytes = 0;
  let dataBytes = 0;
  for (const path of paths) {
    const file = await examineForJoin(path, schema);
    if (file === null) return null;
    first ??= file.description;
    if (file.description !== first) return null;
    rowsFound += file.rows;
    groups += file.groups;
    besideBytes += file.besideBytes;
    if (groups > groupsMax || besideBytes > besideBytesMax) return null;
    const move = dataBytes;
    files.push({ path, dataEnd: file.dataEnd, starts: startsOf(file.chunks).map((start) => start + move) });
    dataBytes += file.dataEnd - magic.length;
  }
  const join = new ParquetJoin(files, magic.length + dataBytes, rows);
  return first !== null && rowsFound === rows ? join : null;
}

/** Null if the file is not what an export of the schema would be, or cannot be moved into another one. Without a schema it is known to be an export. */
export async function examineForJoin(path: string, schema: Schema | null): Promise<JoinableFile | null> {
  await using file = await open(path);
  const place = await footerOf(file);
  const dataEnd = place === null ? null : endOfGroups(place);
  if (place === null || dataEnd === null) return null;
  if (schema !== null && !holds(place.footer, schema)) return null;
  return {
    dataEnd,
    rows: thriftInt(place.footer, fileFields.rows) ?? Number.NaN,
    groups: thriftStructs(place.footer, fileFields.rowGroups).length,
    chunks: chunksIn(place),
    besideBytes: (await file.stat()).size - dataEnd,
    description: createHash('sha256').update(description(place.footer)).digest('hex'),
  };
}

function chunksIn({ footer, footerOffset }: FooterPlace): Float64Array {
  return Float64Array.from(
    columnsOf(footer).flatMap((column) => {
      const { start, bytes } = chunkOf(column, footerOffset);
      return [start, bytes];
    }),
  );
}

/** Where the column chunks of a file begin. */
export function startsIn(place: FooterPlace): Float64Array {
  return startsOf(chunksIn(place));
}

function startsOf(chunks: Float64Array): Float64Array {
  return chunks.filter((_, index) => index % 2 === 0);
}

async function footerOf(file: FileHandle): Promise<FooterPlace | null> {
  try {
    return await readFooter(file);
  } catch (thrown) {
    if (thrown instanceof NotMovable) return null;
    throw thrown;
  }
}

/** Where the row groups end and only indexes follow; null if something would be left behind or point to the wrong place. */
export function endOfGroups({ footer, footerOffset }: FooterPlace): number | null {
  let end = magic.length;
  let indexStart = footerOffset;
  try {
    for (const column of columnsOf(footer)) {
      const { metadata, start, bytes } = chunkOf(column, footerOffset);
      if (hasField(metadata, chunkFields.bloomOffset)) return null;
      end = Math.max(end, start + bytes);
      for (const [offsetField, bytesField] of indexFields) {
        const offset = thriftInt(column, offsetField);
        if (offset === null) continue;
        const length = thriftInt(column, bytesField);
        if (length === null || offset + length > footerOffset) return null;
        indexStart = Math.min(indexStart, offset);
      }
    }
  } catch (thrown) {
    if (thrown instanceof NotMovable) return null;
    throw thrown;
  }
  return indexStart < end ? null : end;
}

const indexFields = [
  [columnFields.columnIndexOffset, columnFields.columnIndexBytes],
  [columnFields.offsetIndexOffset, columnFields.offsetIndexBytes],
] as const;

function columnsOf(footer: ThriftStruct): ThriftStruct[] {
  return thriftStructs(footer, fileFields.rowGroups).flatMap((group) =>
    thriftStructs(group, rowGroupFields.columns),
  );
}

/** What a footer says about all of its rows. Not which version of the library wrote it: an upgrade must not keep old parts and new ones apart. */
function description(footer: ThriftStruct): Uint8Array {
  const { schema, keyValues, columnOrders } = fileFields;
  const parts: readonly number[] = [schema, columnOrders];
  const fields = footer.fields.filter(({ id }) => parts.includes(id));
  const own = ownKeyValues(footer);
  return joinBytes([writeThrift({ fields }), ...own, Uint8Array.of(keyValues, own.length)]);
}

/** Keys and values without what transcoding has noted, which is no part of the frame. */
function ownKeyValues(footer: ThriftStruct): Uint8Array[] {
  return thriftStructs(footer, fileFields.keyValues)
    .filter((entry) => !transcodeNotes.has(textOf(thriftBytes(entry, keyField))))
    .map(writeThrift);
}

/** Whether the file is what the library that exports are written with would make of this very schema. */
function holds(footer: ThriftStruct, schema: Schema): boolean {
  if (!textOf(thriftBytes(footer, fileFields.createdBy)).startsWith(library)) return false;
  // Transcoding writes them as they are.
  if (exportedSchema(schema) !== schema) return false;
  const entry = arrowSchemaEntry(footer);
  if (entry === undefined) return false;
  const stream = Buffer.from(textOf(thriftBytes(entry, valueField)), 'base64');
  const message = parseMessage(splitStream(stream).schemaHeader);
  return message.kind === 'schema' && sameSchema(message.schema, schema);
}

/** Lets a file say that this was the schema of its rows. */
export function setArrowSchema(footer: ThriftStruct, schemaHeader: Uint8Array): void {
  const entry = arrowSchemaEntry(footer);
  if (entry === undefined) throw new Error('a Parquet file of our own without its Arrow schema');
  setThriftBytes(entry, valueField, Buffer.from(Buffer.from(frameHeader(schemaHeader)).toString('base64')));
}

function arrowSchemaEntry(footer: ThriftStruct): ThriftStruct | undefined {
  return thriftStructs(footer, fileFields.keyValues).find(
    (each) => textOf(thriftBytes(each, keyField)) === arrowSchemaKey,
  );
}

function textOf(bytes: Uint8Array | null): string {
  return Buffer.from(bytes ?? []).toString('utf8');
}

export class ParquetJoin {
  readonly #files: readonly JoinedFile[];
  readonly #dataEnd: number;
  readonly #rows: number;

  /** `dataEnd`: where the row groups of the joined file end. */
  constructor(files: readonly JoinedFile[], dataEnd: number, rows: number) {
    this.#files = files;
    this.#dataEnd = dataEnd;
    this.#rows = rows;
  }

  /** The file, in chunks that own their memory, if its row groups are one behind the other. */
  async *bytes(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
    yield new Uint8Array(magic);
    for (const { path, dataEnd } of this.#files) {
      await using file = await open(path);
      for (let from = magic.length; from < dataEnd; from += copyBytes)
        yield await readAt(file, from, Math.min(copyBytes, dataEnd - from));
    }
    yield* this.end();
  }

  /** What follows the row groups. */
  async *end(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
    yield* joinedEnd(this.#tails(), this.#dataEnd, this.#rows);
  }

  async *#tails(): AsyncGenerator<JoinedTail, void, void> {
    for (const { path, dataEnd, starts } of this.#files) {
      await using file = await open(path);
      const { footer, footerOffset } = await readFooter(file);
      yield { footer, indexes: await readAt(file, dataEnd, footerOffset - dataEnd), dataEnd, starts };
    }
  }
}

/** What a file has behind its row groups, and where its column chunks are in the joined one. */
export interface JoinedTail extends Pick<JoinedFile, 'dataEnd' | 'starts'> {
  readonly footer: ThriftStruct;
  /** From `dataEnd` on. */
  readonly indexes: Uint8Array;
}

/** Indexes of pages and the footer of a joined file, whose row groups end at `dataEnd`. */
export async function* joinedEnd(
  tails: AsyncIterable<JoinedTail> | Iterable<JoinedTail>,
  dataEnd: number,
  rows: number,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void, void> {
  const groups: Uint8Array[] = [];
  let first: ThriftStruct | null = null;
  let position = dataEnd;
  for await (const { footer, indexes, dataEnd: start, starts } of tails) {
    let chunk = 0;
    for (const group of thriftStructs(footer, fileFields.rowGroups)) {
      const columns = thriftStructs(group, rowGroupFields.columns).length;
      const groupStarts = starts.subarray(chunk, chunk + columns);
      chunk += columns;
      const moved = moveGroup(group, groupStarts, { bytes: indexes, start }, position);
      setThriftInt(group, rowGroupFields.ordinal, groups.length);
      groups.push(writeThrift(group));
      position += moved.length;
      yield moved;
    }
    first ??= footer;
  }
  if (first === null) throw new Error('no Parquet file to join');
  setThriftInt(first, fileFields.rows, rows);
  setThriftStructs(first, fileFields.rowGroups, groups);
  setThriftStructs(first, fileFields.keyValues, ownKeyValues(first));
  const written = writeThrift(first);
  const tail = new Uint8Array(4);
  new DataView(tail.buffer).setUint32(0, written.length, true);
  yield joinBytes([written, tail, magic]);
}

/** Adapts what a row group says about places, and returns the indexes of its pages, which are to be written at `indexesAt`. */
function moveGroup(
  group: ThriftStruct,
  starts: Float64Array,
  indexes: { readonly bytes: Uint8Array; readonly start: number },
  indexesAt: number,
): Uint8Array<ArrayBuffer> {
  const written: Uint8Array[] = [];
  let position = indexesAt;
  for (const [index, column] of thriftStructs(group, rowGroupFields.columns).entries()) {
    const { metadata, start } = chunkOf(column, Number.POSITIVE_INFINITY);
    const move = (starts[index] as number) - start;
    if (index === 0) moveField(group, rowGroupFields.fileOffset, move);
    moveField(column, columnFields.fileOffset, move);
    for (const field of pageOffsetFields) moveField(metadata, field, move);
    for (const [offsetField, bytesField] of indexFields) {
      const offset = thriftInt(column, offsetField);
      if (offset === null) continue;
      const from = offset - indexes.start;
      const before = indexes.bytes.subarray(from, from + (thriftInt(column, bytesField) ?? 0));
      const after = offsetField === columnFields.offsetIndexOffset ? movedLocations(before, move) : before;
      setThriftInt(column, offsetField, position);
      setThriftInt(column, bytesField, after.length);
      written.push(after);
      position += after.length;
    }
  }
  return joinBytes(written);
}

/** Some writers leave a zero if there is no such place. */
function moveField(struct: ThriftStruct, field: number, move: number): void {
  const offset = thriftInt(struct, field) ?? 0;
  if (offset > 0) setThriftInt(struct, field, offset + move);
}

function movedLocations(offsetIndex: Uint8Array, move: number): Uint8Array {
  const { struct } = readThrift(offsetIndex);
  for (const location of thriftStructs(struct, locationFields.list))
    setThriftInt(location, locationFields.offset, (thriftInt(location, locationFields.offset) ?? 0) + move);
  return writeThrift(struct);
}
