import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline, Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import type { UploadFormat } from '../../../client/src/index.ts';
import { fileError, LocalError } from '../local-error.ts';
import {
  beginningBytes,
  type Compression,
  chooseFormat,
  compressionOf,
  withoutCompressionSuffix,
} from './content-format.ts';

/** What is put: its format, and its bytes, which can be read once. */
export interface UploadSource extends AsyncDisposable {
  readonly label: string;
  readonly format: UploadFormat;
  /** A name for the frame, after the file; null for standard input. */
  readonly frameName: string | null;
  /** Of the file as it is on disk. */
  readonly totalBytes: number | undefined;
  /** Bytes of the file so far go to `onRead`. */
  chunks(onRead: (bytes: number) => void): AsyncIterable<Uint8Array>;
}

/** Few reads for a large file, and little memory. */
const readBytes = 1024 * 1024;

export async function openSource(path: string, format: UploadFormat | undefined): Promise<UploadSource> {
  if (path === '-') return await sourceOf(process.stdin, null, undefined, format, () => Promise.resolve());
  let file: FileHandle | undefined;
  try {
    file = await open(path);
    const size = await file.stat();
    if (size.isDirectory()) throw Object.assign(new Error('directory'), { code: 'EISDIR' });
    const stream = file.createReadStream({ highWaterMark: readBytes, autoClose: false });
    const { close } = { close: file.close.bind(file) };
    return await sourceOf(stream, path, size.isFile() ? size.size : undefined, format, close);
  } catch (thrown) {
    await file?.close().catch(() => {});
    throw fileError(thrown, path);
  }
}

async function sourceOf(
  stream: Readable,
  path: string | null,
  totalBytes: number | undefined,
  named: UploadFormat | undefined,
  close: () => Promise<void>,
): Promise<UploadSource> {
  const fileName = path === null ? null : basename(path);
  const raw = stream[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>;
  const [first, compression] = await packedBeginning(raw);
  if (first.length === 0)
    throw new LocalError(
      `${path ?? 'Standard input'} is empty.`,
      'A frame needs columns: CSV has them in its first line, other formats in their schema.',
    );
  let readSoFar = 0;
  let report: (bytes: number) => void = () => {};
  async function* packed(): AsyncGenerator<Uint8Array, void, void> {
    for (let chunk: Uint8Array | undefined = first; chunk !== undefined; chunk = await nextOf(raw)) {
      readSoFar += chunk.length;
      report(readSoFar);
      yield chunk;
    }
  }
  const plain = compression === undefined ? packed() : unpacked(packed(), compression, path);
  const [beginning, rest] = compression === undefined ? [first, plain] : await beginningOf(plain);
  const format = chooseFormat(fileName, beginning, named);
  return {
    label: fileName ?? 'standard input',
    format,
    frameName: fileName === null ? null : frameNameOf(fileName),
    totalBytes,
    chunks: (onRead) => {
      report = onRead;
      return rest;
    },
    async [Symbol.asyncDispose]() {
      stream.destroy();
      await close().catch(() => {});
    },
  };
}

/** A file's name without its suffix, with `_` for what names cannot have. */
export function frameNameOf(fileName: string): string {
  const stem = withoutCompressionSuffix(fileName).replace(/(.)\.[A-Za-z0-9]{1,10}$/, '$1');
  return stem
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^[.-]+/, '_')
    .slice(0, 128);
}

async function packedBeginning(
  raw: AsyncIterator<Uint8Array>,
): Promise<[beginning: Uint8Array, compression: Compression | undefined]> {
  const beginning = await collect(() => nextOf(raw));
  return [beginning, compressionOf(beginning)];
}

/** The first bytes, and everything with them in front again. */
async function beginningOf(
  chunks: AsyncGenerator<Uint8Array, void, void>,
): Promise<[beginning: Uint8Array, all: AsyncGenerator<Uint8Array, void, void>]> {
  const beginning = await collect(() => nextOf(chunks));
  async function* all(): AsyncGenerator<Uint8Array, void, void> {
    yield beginning;
    yield* chunks;
  }
  return [beginning, all()];
}

async function collect(next: () => Promise<Uint8Array | undefined>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  while (length < beginningBytes) {
    const chunk = await next();
    if (chunk === undefined) break;
    pieces.push(chunk);
    length += chunk.length;
  }
  return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
}

async function nextOf(chunks: AsyncIterator<Uint8Array, unknown>): Promise<Uint8Array | undefined> {
  const { value, done } = await chunks.next();
  return done === true ? undefined : (value as Uint8Array);
}

async function* unpacked(
  chunks: AsyncIterable<Uint8Array>,
  compression: Compression,
  path: string | null,
): AsyncGenerator<Uint8Array, void, void> {
  const unpack = compression === 'gzip' ? createGunzip() : createZstdDecompress();
  // The error comes out of the loop below.
  pipeline(Readable.from(chunks), unpack, () => {});
  try {
    for await (const chunk of unpack) yield chunk as Uint8Array;
  } catch (thrown) {
    throw new LocalError(
      `${path ?? 'Standard input'} cannot be unpacked (${compression}): it is damaged or incomplete.`,
      'Make the file again.',
      thrown,
    );
  }
}
