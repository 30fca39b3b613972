import type { FastifyReply, FastifyRequest } from 'fastify';
import { foreignFile, recognisedBytes } from '../../encode/foreign-files.ts';
import { formatAdvice } from '../../encode/looks-like.ts';
import { fileFormat, type UploadChoice, uploadFormat } from '../../encode/media-types.ts';
import type { PutTarget } from '../../frames/frames.ts';
import { parseTtlMs } from '../../model/duration.ts';
import { FrameholdError } from '../../model/errors.ts';
import { manifestOf } from '../../model/manifest.ts';
import type { CsvOptions } from '../../ports/codec.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { conditionsOf } from '../request/conditions.ts';
import { contentDigests } from '../request/content-digest.ts';
import { FormFile, formBoundary } from '../request/form-file.ts';
import { queryOf, type RawQuery } from '../request/raw-query.ts';
import { type BodySink, checkBodyHeaders, receiveBody } from '../request/receive-body.ts';
import { manifestTag } from '../response/etag.ts';
import { nodeHeaders } from '../response/node-headers.ts';
import { uploadParameters } from './schemas/frames-schema.ts';

/** A put, or a dry run of one, while its body comes. */
interface Upload extends BodySink {
  answer(): Promise<unknown>;
  abort(): Promise<void>;
}

/** A body becomes a version: the conditions first, then the bytes, then the manifest. */
export async function receiveFrame(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  name: string | null,
  mode: PutTarget['mode'],
): Promise<unknown> {
  checkBodyHeaders(request, context.limits);
  const begin = async (choice: UploadChoice) => {
    const target = putTarget(request, choice, name, mode);
    return advising(await beginUpload(context, request, reply, target), choice);
  };
  const { 'content-type': contentType } = request.headers;
  const boundary = formBoundary(contentType);
  if (boundary !== null) return await receiveForm(context, request, reply, boundary, begin);
  const upload = await begin(uploadFormat(contentType));
  try {
    await receiveBody(request, reply, upload, context.limits, upload.sent !== undefined);
    return await upload.answer();
  } finally {
    await upload.abort();
  }
}

/** A form says only inside of the body what its file is: the put begins there. */
async function receiveForm(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  boundary: string,
  begin: (choice: UploadChoice) => Promise<Upload>,
): Promise<unknown> {
  if (contentDigests(request.headers).length > 0)
    throw new FrameholdError(
      'bad_request',
      'A form cannot have a digest: it would be of the form, not of the file.',
      {
        hint: 'Send the file itself as the body.',
      },
    );
  let upload: Upload | null = null;
  const form = new FormFile(boundary, async ({ fileName, contentType }) => {
    upload = await begin(fileFormat(contentType, fileName));
    return upload;
  });
  try {
    await receiveBody(request, reply, form, context.limits, false);
    form.end();
    return await (upload as Upload | null)?.answer();
  } finally {
    await (upload as Upload | null)?.abort();
  }
}

async function beginUpload(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  target: PutTarget,
): Promise<Upload> {
  const signal = callerSignal(reply);
  const caller = callerOf(request);
  const query = queryOf(request);
  if (isDryRun(query)) {
    if (target.idempotencyKey !== undefined) throw nothingToRepeat();
    const inspection = await context.frames.beginInspection(
      caller,
      target,
      uploadParameters.partial.read(query),
      signal,
    );
    return {
      write: (chunks) => inspection.write(chunks),
      answer: async () => reply.send(await inspection.finish()),
      abort: () => inspection.abort(),
    };
  }
  const session = await context.frames.beginPut(caller, target, signal);
  return {
    write: (chunks) => session.write(chunks),
    ...(target.digestOfSent === true ? { sent: (chunks) => session.sent(chunks) } : {}),
    answer: async () => {
      const { record, created } = await session.finish();
      const manifest = manifestOf(record);
      const location = `${context.publicUrl}/v1/frames/${manifest.handle}`;
      return reply
        .code(created ? 201 : 200)
        .headers({ location, etag: manifestTag(record), ...nodeHeaders(context.nodes, record) })
        .send(manifest);
    },
    abort: () => session.abort(),
  };
}

/**
 * Files that no format is, such as workbooks, are refused at their first bytes. If the body cannot be read and looks like another format than the
 * one that was named, the error says so.
 */
function advising(upload: Upload, { format }: UploadChoice): Upload {
  let first: Buffer = Buffer.alloc(0);
  const advise = (error: unknown): never => {
    const isBad = error instanceof FrameholdError && error.kind === 'bad_body';
    const hint = isBad ? formatAdvice(first, format) : null;
    if (!isBad || hint === null) throw error;
    throw new FrameholdError('bad_body', error.message, { hint, cause: error.cause });
  };
  return {
    ...upload,
    write: async (chunks) => {
      if (first.length < recognisedBytes) {
        const beginnings = chunks.map((chunk) => chunk.subarray(0, recognisedBytes));
        first = Buffer.concat([first, ...beginnings]).subarray(0, recognisedBytes);
        refuseForeign(first);
      }
      await upload.write(chunks).catch(advise);
    },
    answer: () => upload.answer().catch(advise),
  };
}

function refuseForeign(first: Uint8Array): void {
  const file = foreignFile(first);
  if (file === null) return;
  throw new FrameholdError('bad_body', `The body is ${file.what}.`, {
    hint:
      file.coding === undefined
        ? file.advice
        : `Send Content-Encoding: ${file.coding}, with the Content-Type of what is inside.`,
  });
}

function nothingToRepeat(): FrameholdError {
  return new FrameholdError('bad_request', 'A dry run stores nothing, so it takes no Idempotency-Key.', {
    hint: 'Send the key with the put itself.',
  });
}

function isDryRun(query: RawQuery): boolean {
  const dryRun = uploadParameters.dryRun.read(query);
  if (dryRun || !uploadParameters.partial.read(query)) return dryRun;
  throw new FrameholdError('bad_request', 'partial=true is only for dry_run=true: a frame is put whole.', {
    hint: 'Add dry_run=true, or omit it.',
  });
}

function putTarget(
  request: FastifyRequest,
  choice: UploadChoice,
  name: string | null,
  mode: PutTarget['mode'],
): PutTarget {
  const query = queryOf(request);
  const ttl = uploadParameters.ttl.read(query);
  const { createOnly, ...conditions } = conditionsOf(request);
  const announced = Number(request.headers['content-length'] ?? 0);
  const digests = contentDigests(request.headers);
  const digestOfSent = digests.length > 0 && isCoded(request);
  return {
    name,
    mode: createOnly === true ? 'create' : mode,
    format: choice.format,
    originFormat: choice.originFormat,
    csv: csvOptions(query, choice),
    bytesAnnounced: announced,
    digests,
    digestOfSent,
    ...(ttl === undefined ? {} : { ttlMs: parseTtlMs(ttl) }),
    ...conditions,
  };
}

function isCoded(request: FastifyRequest): boolean {
  const coding = request.headers['content-encoding']?.trim().toLowerCase();
  return coding !== undefined && coding !== '' && coding !== 'identity';
}

/** The URL takes precedence over the media type. */
function csvOptions(query: RawQuery, choice: UploadChoice): CsvOptions {
  const { delimiter, nullText, decimal, thousands, dates, charset, types } = uploadParameters;
  const forced = types.read(query);
  const given = {
    delimiter: delimiter.read(query) ?? choice.delimiter,
    nullText: nullText.read(query),
    decimal: decimal.read(query),
    thousands: thousands.read(query),
    dates: dates.read(query),
    charset: charset.read(query) ?? choice.charset,
    types: forced === undefined ? undefined : parseTypes(forced),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function parseTypes(text: string): Record<string, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = null;
  }
  if (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((type) => typeof type === 'string')
  ) {
    return value as Record<string, string>;
  }
  throw new FrameholdError('bad_request', 'types is not a JSON object of column name to type.', {
    hint: 'For example types={"id":"VARCHAR","price":"DECIMAL(18,4)"}, percent-encoded.',
  });
}
