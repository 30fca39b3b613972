import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { outputFormats } from '../../encode/output-formats.ts';
import { formatHandle } from '../../model/handle.ts';
import { handleTextOf } from '../../model/manifest.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { type FileName, parseFileName } from '../request/file-name.ts';
import { queryOf } from '../request/raw-query.ts';
import { rowsDisposition } from '../response/content-disposition.ts';
import { cacheControl } from '../response/etag.ts';
import { nodeHeaders } from '../response/node-headers.ts';
import { sendFile } from '../response/send-file.ts';
import { sendRows } from '../response/send-rows.ts';
import { resource } from './resource.ts';
import { fileSchema } from './schemas/files-schema.ts';

/** `/v1/files/{handle}.{format}`: a frame as a file that other programs read by its URL. */
export function filesRoute(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/files/:file', {
    GET: {
      schema: fileSchema,
      handler: (request, reply) => {
        const name = parseFileName((request.params as { file: string }).file);
        // Its stored form can be sent as it is, and so in ranges.
        return outputFormats[name.format].form !== undefined
          ? sendParquet(context, name, request, reply)
          : sendStreamed(context, name, request, reply);
      },
    },
  });
}

/** With ranges: the stored row groups of the version, with one footer. */
async function sendParquet(
  context: HttpContext,
  name: FileName,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const signal = callerSignal(reply);
  const file = await context.files.open(callerOf(request), name.handle, signal);
  try {
    const { tenant, name: frame, version } = file.record;
    context.observe({ event: 'read', tenant, name: frame, version, format: name.format });
    await sendFile(
      request,
      reply,
      {
        file,
        mediaType: outputFormats[name.format].mediaType,
        // Never for a year: a file that nobody has read for an hour may be put together in another way.
        headers: headersOf(
          context,
          name,
          file.record,
          cacheControl(false, isOpen(context), hasLink(request)),
        ),
        idleMs: context.limits.answerIdleMs,
      },
      signal,
    );
  } finally {
    file.release();
  }
}

/** Without ranges: rows are rendered as they are sent. */
async function sendStreamed(
  context: HttpContext,
  name: FileName,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const { handle, format } = name;
  const record = await context.frames.resolve(callerOf(request), handle, callerSignal(reply));
  const control = cacheControl(handle.version !== null, isOpen(context), hasLink(request));
  await sendRows(context, request, reply, {
    handle,
    record,
    range: {},
    options: { format, query: '', quoteLargeNumbers: false },
    headers: { 'accept-ranges': 'none', ...headersOf(context, name, record, control) },
  });
}

function headersOf(
  context: HttpContext,
  { format }: FileName,
  record: VersionRecord,
  control: string,
): Readonly<Record<string, string>> {
  return {
    vary: context.vary,
    'cache-control': control,
    'content-disposition': rowsDisposition(formatHandle(record.name, record.version), format, true),
    'content-location': `${context.publicUrl}/v1/files/${handleTextOf(record)}.${format}`,
    'framehold-handle': handleTextOf(record),
    ...nodeHeaders(context.nodes, record),
  };
}

function isOpen({ authenticator }: HttpContext): boolean {
  return authenticator.isOpen;
}

function hasLink(request: FastifyRequest): boolean {
  return queryOf(request).has('link');
}
