import type { FastifyReply, FastifyRequest } from 'fastify';
import { chooseFormat } from '../../../encode/media-types.ts';
import { outputFormats } from '../../../encode/output-formats.ts';
import { manifestOf } from '../../../model/manifest.ts';
import type { RowFormat } from '../../../ports/renderer.ts';
import type { SqlCached, SqlChange, SqlRows, SqlTimings } from '../../../sql/sql.ts';
import type { HttpContext } from '../../context.ts';
import { callerOf } from '../../request/caller.ts';
import { queryOf } from '../../request/raw-query.ts';
import { type Coding, chooseCoding, createEncoder } from '../../response/content-coding.ts';
import { rowsDisposition } from '../../response/content-disposition.ts';
import { manifestTag } from '../../response/etag.ts';
import { sendStream } from '../../response/send-stream.ts';
import { rowsParameters } from '../schemas/rows-schema.ts';
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
  const sent = formOf(context, request, asked, format);
  const { sql, parameters, ...options } = asked.request;
  const statement = context.sql.prepare(callerOf(request), sql, { ...options, form: JSON.stringify(sent) });
  const outcome = await statement.execute(parameters, signal);
  if (outcome.kind === 'changed') {
    await sendChange(context, reply, asked, outcome);
    return;
  }
  try {
    if (outcome.kind === 'kept') await sendKept(context, reply, outcome, sent);
    else await sendSqlRows(context, reply, asked, outcome, sent, signal);
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

/** Everything that the bytes of an answer depend on, beside the statement and what it reads. */
interface SentForm {
  readonly format: RowFormat;
  readonly limit: number | null;
  readonly quoteLargeNumbers: boolean;
  readonly coding: Coding | null;
}

function formOf(
  context: HttpContext,
  request: FastifyRequest,
  { limit, quoteLargeNumbers }: RequestedStatement,
  format: RowFormat,
): SentForm {
  const isCoded = context.compression && outputFormats[format].isCompressible;
  const coding = isCoded ? chooseCoding(request.headers['accept-encoding']) : null;
  return { format, limit: limit ?? null, quoteLargeNumbers, coding };
}

async function sendKept(
  context: HttpContext,
  reply: FastifyReply,
  kept: SqlCached,
  sent: SentForm,
): Promise<void> {
  // The body is in memory: nothing is held while it is sent.
  await kept.release();
  reply.header('server-timing', serverTiming(kept.timings));
  await reply.headers(rowsHeaders(context, kept, sent)).send(kept.body);
}

async function sendSqlRows(
  context: HttpContext,
  reply: FastifyReply,
  { request: { sql } }: RequestedStatement,
  rows: SqlRows,
  sent: SentForm,
  signal: AbortSignal,
): Promise<void> {
  const { format, limit, quoteLargeNumbers, coding } = sent;
  const options = { format, query: sql, quoteLargeNumbers, ...(limit === null ? {} : { limit }) };
  await sendStream(
    reply,
    {
      headers: rowsHeaders(context, rows, sent),
      chunks: timed(context.renderer.renderStream(rows, options, signal), reply, rows.timings),
      idleMs: context.limits.answerIdleMs,
      encoder: coding === null ? null : createEncoder(coding),
      keep: rows.keep ?? null,
      release: () => rows.release(),
    },
    signal,
  );
}

function rowsHeaders(
  context: HttpContext,
  { id, sources }: Pick<SqlRows, 'id' | 'sources'>,
  { format, coding }: SentForm,
): Record<string, string> {
  const named = sources.join(', ');
  return {
    'content-type': outputFormats[format].mediaType,
    'content-disposition': rowsDisposition(id, format),
    vary: context.vary,
    ...(coding === null ? {} : { 'content-encoding': coding }),
    ...(named === '' || named.length > sourcesHeaderMax ? {} : { 'framehold-sources': named }),
  };
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

function serverTiming({ queue, prepare, isKept }: SqlTimings, first?: number): string {
  const entries = { queue, prepare, ...(first === undefined ? {} : { first }) };
  const measured = Object.entries(entries).map(([name, ms]) => `${name};dur=${ms.toFixed(1)}`);
  return [...measured, ...(isKept === true ? ['kept'] : [])].join(', ');
}
