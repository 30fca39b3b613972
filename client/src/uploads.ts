import { browserRequest, sendByXhr } from './browser-request.ts';
import { badArgument, networkError } from './errors.ts';
import { formatOfName, mediaTypeOf, type UploadFormat } from './media-types.ts';
import { chunksOf } from './stream-chunks.ts';
import { errorOf, type Parameters, type Transport } from './transport.ts';

export type UploadBody =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | string
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array | string>;

/** How to read CSV and JSON. */
export interface CsvOptions {
  /** One character; default: found in the file. */
  readonly delimiter?: string;
  /** Another text for null. */
  readonly null?: string;
  /** Column name to SQL type. */
  readonly types?: Readonly<Record<string, string>>;
  readonly decimal?: '.' | ',';
  readonly thousands?: string;
  readonly dates?: 'dmy' | 'mdy' | 'ymd';
  readonly charset?: string;
}

export interface FormatOptions {
  /** Default: by the name of a file. */
  readonly format?: UploadFormat;
  /** Instead of `format`: the media type of the body. */
  readonly contentType?: string;
  readonly csv?: CsvOptions;
  readonly signal?: AbortSignal;
}

export interface PutOptions extends FormatOptions {
  /** Until the name expires: `90s`, `15m`, `12h`, `30d`. */
  readonly ttl?: string;
  /** Called while the body is sent, and once when all of it was. `total` is undefined for a stream. */
  readonly onProgress?: (sentBytes: number, totalBytes: number | undefined) => void;
  /** Only if this version is the newest: for what was made of its rows. */
  readonly ifVersion?: number;
  /** The same by the ETag of the version; `*`: any version. */
  readonly ifMatch?: string;
  /** `*`: create only. */
  readonly ifNoneMatch?: '*';
  /** Makes repeating the put safe. */
  readonly idempotencyKey?: string;
}

export interface Upload {
  readonly method: 'PUT' | 'POST';
  readonly path: string;
  readonly parameters: Parameters;
  readonly body: UploadBody;
  readonly options: PutOptions;
}

/** Of a stream that is made from bytes in memory: often enough for a progress bar, and large enough to be fast. */
const pieceBytes = 256 * 1024;

/** Sends a body and gives the JSON of the answer. */
export async function sendUpload(transport: Transport, upload: Upload): Promise<string> {
  const { options } = upload;
  options.signal?.throwIfAborted();
  const headers = transport.headers({
    'content-type': contentTypeOf(upload.body, options),
    ...(options.ifMatch === undefined ? {} : { 'if-match': options.ifMatch }),
    ...(options.ifNoneMatch === undefined ? {} : { 'if-none-match': options.ifNoneMatch }),
    ...(options.idempotencyKey === undefined ? {} : { 'idempotency-key': options.idempotencyKey }),
  });
  const url = transport.url(upload.path, { ...upload.parameters, ...csvParameters(options.csv) });
  const { method, body } = upload;
  const Request = browserRequest();
  // A page's fetch can send what is in memory or a file, but no stream, and does not say how much it has sent.
  if (Request === undefined || (options.onProgress === undefined && !isStreamed(body)))
    return await sendByFetch(transport, url, headers, upload);
  // A browser keeps a large Blob on disk, not in memory.
  const whole = isStreamed(body)
    ? await new Response(counted(body, { signal: options.signal })).blob()
    : body;
  return await sendByXhr(new Request(), {
    method,
    url,
    headers,
    body: whole,
    totalBytes: sizeOf(whole),
    ...options,
  });
}

async function sendByFetch(
  transport: Transport,
  url: URL,
  headers: Record<string, string>,
  { method, body, options }: Upload,
): Promise<string> {
  const { signal, onProgress } = options;
  const isPlain = onProgress === undefined && !isStreamed(body);
  const init: RequestInit & { duplex?: 'half' } = {
    method,
    headers,
    credentials: 'omit',
    body: isPlain ? (body as Blob | string) : counted(body, { onProgress, signal }),
    ...(isPlain ? {} : { duplex: 'half' }),
    ...(signal === undefined ? {} : { signal }),
  };
  let answer: Response;
  try {
    answer = await transport.fetch(url, init);
  } catch (thrown) {
    signal?.throwIfAborted();
    throw networkError(url, thrown);
  }
  if (!answer.ok) throw await errorOf(answer);
  return await answer.text();
}

interface Progress {
  readonly onProgress?: PutOptions['onProgress'];
  readonly signal?: AbortSignal | undefined;
}

/** The body as a stream that says how much of it was taken. */
function counted(
  body: UploadBody,
  { onProgress, signal }: Progress,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const total = isStreamed(body) ? undefined : sizeOf(body);
  const pieces = piecesOf(body);
  let sent = 0;
  return new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        const { value, done } = await pieces.next();
        // Node's fetch reads the rest of a body after it was aborted, and throws it away.
        if (signal?.aborted) {
          controller.error(signal.reason);
          await pieces.return();
        } else if (done) controller.close();
        else {
          controller.enqueue(value as Uint8Array<ArrayBuffer>);
          sent += value.length;
          onProgress?.(sent, total);
        }
      },
      async cancel() {
        await pieces.return();
      },
    },
    // Nothing is read ahead: what was read has been asked for by the connection.
    { highWaterMark: 0 },
  );
}

async function* piecesOf(body: UploadBody): AsyncGenerator<Uint8Array, void, void> {
  if (body instanceof Blob) {
    for (let start = 0; start < body.size; start += pieceBytes)
      yield new Uint8Array(await body.slice(start, start + pieceBytes).arrayBuffer());
    return;
  }
  if (isStreamed(body)) {
    for await (const piece of body instanceof ReadableStream ? chunksOf(body) : body)
      if (piece.length > 0) yield typeof piece === 'string' ? new TextEncoder().encode(piece) : piece;
    return;
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : viewOf(body);
  for (let start = 0; start < bytes.length; start += pieceBytes)
    yield bytes.subarray(start, start + pieceBytes);
}

function viewOf(body: Uint8Array | ArrayBuffer): Uint8Array {
  return body instanceof ArrayBuffer ? new Uint8Array(body) : body;
}

function isStreamed(
  body: UploadBody,
): body is ReadableStream<Uint8Array> | AsyncIterable<Uint8Array | string> {
  return (
    typeof body === 'object' &&
    !(body instanceof Blob) &&
    (body instanceof ReadableStream || Symbol.asyncIterator in body)
  );
}

function sizeOf(body: UploadBody): number | undefined {
  if (body instanceof Blob) return body.size;
  if (typeof body === 'string') return new TextEncoder().encode(body).length;
  return isStreamed(body) ? undefined : body.byteLength;
}

function contentTypeOf(body: UploadBody, { format, contentType }: FormatOptions): string {
  if (contentType !== undefined) return contentType;
  if (format !== undefined) return mediaTypeOf(format);
  const name = typeof File !== 'undefined' && body instanceof File ? body.name : '';
  const found = formatOfName(name);
  if (found !== undefined) return mediaTypeOf(found);
  throw badArgument(
    name === ''
      ? 'The format of the body is not known.'
      : `The format of ${JSON.stringify(name)} is not known.`,
    "Give format, such as 'csv'.",
  );
}

function csvParameters(csv: CsvOptions = {}): Parameters {
  const { types, ...texts } = csv;
  return { ...texts, types: types === undefined ? undefined : JSON.stringify(types) };
}
