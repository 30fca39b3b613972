import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ByteRange } from '../../frames/files/file-pieces.ts';
import type { FrameFile } from '../../frames/files/frame-files.ts';
import { FrameholdError } from '../../model/errors.ts';
import { randomId } from '../../model/handle.ts';
import { byteRanges, RangeNotSatisfiable } from '../request/byte-ranges.ts';
import { tagMatches } from './etag.ts';
import { collectHeaders, sendStream } from './send-stream.ts';

export interface FileAnswer {
  readonly file: FrameFile;
  readonly mediaType: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly idleMs: number;
}

/** A file or ranges of it, with the conditions of RFC 9110 in the order of its section 13.2.2. */
export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: FileAnswer,
  signal: AbortSignal,
): Promise<void> {
  const { file, mediaType } = answer;
  const etag = `"${file.etag}"`;
  const own = { etag, 'accept-ranges': 'bytes', ...answer.headers };
  const { 'if-match': expected, 'if-none-match': known } = request.headers;
  if (expected !== undefined && !tagMatches(expected, etag, false))
    throw new FrameholdError('version_mismatch', `The file has the ETag ${etag}.`, {
      hint: 'Start again with the first byte, or use the URL of one version: name@version.parquet.',
    });
  if (known !== undefined && tagMatches(known, etag, true)) {
    file.release();
    await reply.code(304).headers(own).send();
    return;
  }
  if (request.method === 'HEAD') {
    // Sent by hand: Fastify would declare a body of no bytes, and clients would believe it.
    file.release();
    reply.hijack();
    const headers = { 'content-type': mediaType, 'content-length': String(file.bytes), ...own };
    reply.raw.writeHead(200, { ...collectHeaders(reply), ...headers }).end();
    return;
  }
  const body = bodyOf(file, mediaType, wantedRanges(request, reply, file));
  await sendStream(
    reply,
    {
      status: body.status,
      headers: { ...body.headers, ...own },
      chunks: body.chunks,
      idleMs: answer.idleMs,
      encoder: null,
      keep: null,
      release: () => file.release(),
    },
    signal,
  );
}

/** A range that was meant for other bytes is none: then all of the file is sent. A date is never exact enough. */
function wantedRanges(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { bytes, etag }: FrameFile,
): readonly ByteRange[] | null {
  const condition = headers['if-range'];
  if (condition !== undefined && condition !== `"${etag}"`) return null;
  try {
    return byteRanges(headers.range, bytes);
  } catch (error) {
    if (error instanceof RangeNotSatisfiable) reply.header('content-range', `bytes */${error.size}`);
    throw error;
  }
}

interface Body {
  readonly status: 200 | 206;
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
}

function bodyOf(file: FrameFile, mediaType: string, ranges: readonly ByteRange[] | null): Body {
  const [only, second] = ranges ?? [{ start: 0, end: file.bytes }];
  if (only === undefined || second !== undefined) return multipart(file, mediaType, ranges ?? []);
  return {
    status: ranges === null ? 200 : 206,
    headers: {
      'content-type': mediaType,
      'content-length': String(only.end - only.start),
      ...(ranges === null ? {} : { 'content-range': contentRange(only, file) }),
    },
    chunks: file.read(only),
  };
}

/** RFC 9110, section 14.6. */
function multipart(file: FrameFile, mediaType: string, ranges: readonly ByteRange[]): Body {
  const boundary = randomId();
  const parts = ranges.map((range) => ({
    range,
    head: Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${mediaType}\r\nContent-Range: ${contentRange(range, file)}\r\n\r\n`,
    ),
  }));
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const length = parts.reduce(
    (sum, { head, range }) => sum + head.length + range.end - range.start,
    end.length,
  );
  async function* chunks(): AsyncGenerator<Uint8Array, void, void> {
    for (const { head, range } of parts) {
      yield head;
      yield* file.read(range);
    }
    yield end;
  }
  return {
    status: 206,
    headers: {
      'content-type': `multipart/byteranges; boundary=${boundary}`,
      'content-length': String(length),
    },
    chunks: chunks(),
  };
}

function contentRange({ start, end }: ByteRange, { bytes }: FrameFile): string {
  return `bytes ${start}-${end - 1}/${bytes}`;
}
