import type { FastifyReply, FastifyRequest } from 'fastify';
import { outputFormats } from '../../encode/output-formats.ts';
import type { ReadRange } from '../../frames/frames.ts';
import type { Handle } from '../../model/handle.ts';
import { handleTextOf } from '../../model/manifest.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { RenderOptions } from '../../ports/renderer.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { chooseCoding, createEncoder } from './content-coding.ts';
import { rowsTag, tagMatches } from './etag.ts';
import { sendStream } from './send-stream.ts';

export interface RowsAnswer {
  readonly handle: Handle;
  /** The version that the handle meant when the request came. */
  readonly record: VersionRecord;
  readonly range: ReadRange;
  readonly options: RenderOptions;
  readonly headers: Readonly<Record<string, string>>;
}

/** The rows of a version in a format: from the cached answers, or rendered now and kept if small. 304 if the caller has them. */
export async function sendRows(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  answer: RowsAnswer,
): Promise<void> {
  const { renderedCache, renderer, frames } = context;
  const { record, range, options } = answer;
  const tag = rowsTag(record, range, options);
  const own = { etag: tag, 'framehold-handle': handleTextOf(record), ...answer.headers };
  const known = request.headers['if-none-match'];
  if (known !== undefined && tagMatches(known, tag, true)) {
    await reply.code(304).headers(own).send();
    return;
  }
  const { isCompressible, mediaType, form } = outputFormats[options.format];
  const coding =
    context.compression && isCompressible ? chooseCoding(request.headers['accept-encoding']) : null;
  const key = JSON.stringify([record.versionId, options, range, coding]);
  const { tenant, name, version, slice } = record;
  const after = slice === undefined ? {} : { after: slice.after };
  const read = { event: 'read', tenant, name, version, format: options.format } as const;
  const kept = renderedCache.get(key);
  if (kept !== undefined) {
    context.observe(read);
    await reply.headers({ ...kept.headers, ...own }).send(kept.body);
    return;
  }
  const headers = {
    'content-type': mediaType,
    vary: context.vary,
    ...(coding === null ? {} : { 'content-encoding': coding }),
  };
  const signal = callerSignal(reply);
  const reading = await frames.read(
    callerOf(request),
    { tenant, name, version, ...after },
    form === undefined ? range : { ...range, form },
    signal,
  );
  try {
    context.observe(read);
    await sendStream(
      reply,
      {
        headers: { ...headers, ...own },
        chunks: renderer.render(reading, options, signal),
        idleMs: context.limits.answerIdleMs,
        encoder: coding === null ? null : createEncoder(coding),
        keep: {
          bytesMax: renderedCache.entryBytesMax,
          whole: (body) => renderedCache.set(key, { body, headers }, callerOf(request).tenant),
        },
        release: () => reading.release(),
      },
      signal,
    );
  } finally {
    reading.release();
  }
}
