import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chooseFormat } from '../../formats/media-types.ts';
import { FrameholdError } from '../../frames/errors.ts';
import type { Handle } from '../../frames/handle.ts';
import { parseHandle } from '../../frames/handle.ts';
import { handleTextOf } from '../../frames/manifest.ts';
import type { RowFormat } from '../../frames/ports/renderer.ts';
import type { VersionRecord } from '../../frames/version.ts';
import { callerOf } from '../caller-of.ts';
import type { HttpContext } from '../context.ts';
import { callerSignal } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { cacheControl, rowsTag, tagMatches } from '../etag.ts';
import { flag, wholeNumber } from '../parameters.ts';
import { queryOf, type RawQuery } from '../raw-query.ts';
import { resource } from '../resource.ts';
import { sendRows } from '../send-rows.ts';
import { exportSchema } from './rows-schema.ts';

/** `GET /exp`: the rows of a held frame, in any format. Its sibling under /v1 is the same handler with the handle in the path. */
export function exportRoute(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/exp', {
    GET: {
      schema: exportSchema,
      handler: (request, reply) => {
        const query = queryOf(request);
        const handle = query.value('handle');
        if (handle === undefined || handle === '') {
          throw new FrameholdError('bad_request', 'handle is missing.', {
            hint: 'Use /exp?handle=NAME&fmt=csv.',
          });
        }
        return readRows(context, handle, query, request, reply);
      },
    },
  });
}

interface RowsCursor {
  readonly handle: string;
  readonly offset: number;
}

/** What both routes do: which version, which rows, which format; then the answer. */
export async function readRows(
  context: HttpContext,
  handleText: string,
  query: RawQuery,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const format = chooseFormat(query.value('fmt'), request.headers.accept);
  const limit = wholeNumber(query, 'limit', Number.MAX_SAFE_INTEGER);
  const columns = query.value('columns')?.split(',');
  const cursor = readCursor(query);
  const asked = parseHandle(handleText);
  const handle = cursor === null ? asked : pinnedBy(cursor, asked);
  const record = await context.frames.resolve(callerOf(request), handle, callerSignal(reply));
  const offset = cursor?.offset ?? 0;
  const quoteLargeNumbers = flag(query, 'quoteLargeNum');

  const variant = [
    format,
    offset,
    limit ?? '',
    quoteLargeNumbers ? 'q' : '',
    columns === undefined ? '' : encodeCursor(columns),
  ].join('-');
  const tag = rowsTag(record, variant);
  const headers = {
    etag: tag,
    'cache-control': cacheControl(asked.version !== null, context.door.isOpen),
    'framehold-handle': handleTextOf(record),
    ...nextPage(context, record, format, query, offset, limit),
  };
  const known = request.headers['if-none-match'];
  if (known !== undefined && tagMatches(known, tag, true)) {
    await reply.code(304).headers(headers).send();
    return;
  }
  await sendRows(context, request, reply, {
    handle,
    record,
    range: {
      offset,
      ...(limit === undefined ? {} : { limit }),
      ...(columns === undefined ? {} : { columns }),
    },
    options: { format, query: `handle:${handleText}`, quoteLargeNumbers },
    headers,
  });
}

function readCursor(query: RawQuery): RowsCursor | null {
  const text = query.value('cursor');
  if (text === undefined) return null;
  return decodeCursor(text, (value): value is RowsCursor => {
    const { handle, offset } = (value ?? {}) as Partial<RowsCursor>;
    return typeof handle === 'string' && Number.isSafeInteger(offset) && (offset ?? -1) >= 0;
  });
}

/** A cursor goes on in the version in which it began, whatever the name has become. */
function pinnedBy(cursor: RowsCursor, asked: Handle): Handle {
  const pinned = parseHandle(cursor.handle);
  if (
    pinned.tenant === asked.tenant &&
    pinned.name === asked.name &&
    (asked.version === null || asked.version === pinned.version)
  )
    return pinned;
  throw new FrameholdError('bad_cursor', 'The cursor belongs to another frame.', {
    hint: 'Use it with the handle it was given for.',
  });
}

function nextPage(
  context: HttpContext,
  record: VersionRecord,
  format: RowFormat,
  query: RawQuery,
  offset: number,
  limit: number | undefined,
): Record<string, string> {
  if (limit === undefined || limit === 0 || offset + limit >= record.rows) return {};
  const pinned = handleTextOf(record);
  const cursor = encodeCursor({ handle: pinned, offset: offset + limit } satisfies RowsCursor);
  const columns = query.raw('columns');
  const link = query.raw('link');
  const parameters = [
    `fmt=${format}`,
    `limit=${limit}`,
    ...(columns === undefined ? [] : [`columns=${columns}`]),
    ...(link === undefined ? [] : [`link=${link}`]),
    `cursor=${cursor}`,
  ];
  return {
    'framehold-cursor': cursor,
    link: `<${context.publicUrl}/v1/frames/${pinned}/rows?${parameters.join('&')}>; rel="next"`,
  };
}
