import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseFormat } from '../../formats/media-types.ts';
import { outputFormats } from '../../formats/output-formats.ts';
import { manifestOf } from '../../frames/manifest.ts';
import type { RowFormat } from '../../frames/ports/renderer.ts';
import type { SqlChange, SqlRows, SqlTimings } from '../../frames/sql/sql.ts';
import type { HttpContext } from '../context.ts';
import { callerOf } from '../request/caller.ts';
import { queryOf } from '../request/raw-query.ts';
import { chooseCoding, createEncoder } from '../response/content-coding.ts';
import { rowsDisposition } from '../response/content-disposition.ts';
import { manifestTag } from '../response/etag.ts';
import { sendStream } from '../response/send-stream.ts';
import { rowsParameters } from './schemas/rows-schema.ts';
import type { RequestedStatement } from './sql-request.ts';

/** Many clients and proxies take headers of 8 KiB in all. */
const sourcesHeaderMax = 2_048;

/** Runs a statement and answers with its rows, or with what it changed. */
export async function answerStatement(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  asked: RequestedStatement,
  signal: AbortSignal,
): Promise<void> {
  // Before anything runs: a statement may change something, and then it is too late to refuse.
  const format = chooseFormat(rowsParameters.fmt.read(queryOf(request)), request.headers.accept);
  reply.header('cache-control', 'no-store');
  const outcome = await context.sql.execute(callerOf(request), asked.request, signal);
  if (outcome.kind === 'changed') {
    await sendChange(context, reply, asked, outcome);
    return;
  }
  try {
    await sendSqlRows(context, request, reply, asked, outcome, format, signal);
  } finally {
    await outcome.release();
  }
}

function sendChange(
  context: HttpContext,
  reply: FastifyReply,
  { request: { sql } }: RequestedStatement,
  { record, rows, timings }: SqlChange,
): FastifyReply {
  reply.header('server-timing', serverTiming(timings));
  if (record === null) return reply.send({ query: sql, rows, frame: null });
  const frame = manifestOf(record);
  const location = `${context.publicUrl}/v1/frames/${frame.handle}`;
  return reply
    .code(201)
    .headers({ location, etag: manifestTag(record) })
    .send({ query: sql, rows, frame });
}

async function sendSqlRows(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { request: { sql }, limit, quoteLargeNumbers }: RequestedStatement,
  rows: SqlRows,
  format: RowFormat,
  signal: AbortSignal,
): Promise<void> {
  const { isCompressible, mediaType } = outputFormats[format];
  const coding =
    context.compression && isCompressible ? chooseCoding(request.headers['accept-encoding']) : null;
  const options = { format, query: sql, quoteLargeNumbers, ...(limit === undefined ? {} : { limit }) };
  const sources = rows.sources.join(', ');
  await sendStream(
    reply,
    {
      headers: {
        'content-type': mediaType,
        'content-disposition': rowsDisposition(rows.id, format),
        vary: context.vary,
        ...(coding === null ? {} : { 'content-encoding': coding }),
        ...(sources === '' || sources.length > sourcesHeaderMax ? {} : { 'framehold-sources': sources }),
      },
      chunks: timed(context.renderer.renderStream(rows, options, signal), reply, rows.timings),
      idleMs: context.limits.answerIdleMs,
      encoder: coding === null ? null : createEncoder(coding),
      keep: null,
    },
    signal,
  );
}

/** The head goes out after the first chunk, so it can say how long that took. */
async function* timed(
  chunks: AsyncIterable<Uint8Array>,
  reply: FastifyReply,
  timings: SqlTimings,
): AsyncGenerator<Uint8Array, void, void> {
  const began = performance.now();
  let first = true;
  for await (const chunk of chunks) {
    if (first) reply.header('server-timing', serverTiming(timings, performance.now() - began));
    first = false;
    yield chunk;
  }
}

function serverTiming({ queue, prepare }: SqlTimings, first?: number): string {
  const entries = { queue, prepare, ...(first === undefined ? {} : { first }) };
  return Object.entries(entries)
    .map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`)
    .join(', ');
}
