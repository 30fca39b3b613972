import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { chooseFormat } from '../../encode/media-types.ts';
import { FrameholdError } from '../../model/errors.ts';
import { formatHandle, parseRowsHandle } from '../../model/handle.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { queryOf, type RawQuery } from '../request/raw-query.ts';
import { rowsDisposition } from '../response/content-disposition.ts';
import { cacheControl } from '../response/etag.ts';
import { nodeHeaders } from '../response/node-headers.ts';
import { sendRows } from '../response/send-rows.ts';
import { resource } from './resource.ts';
import { firstRow, pageHeaders, pinnedBy, readCursor } from './rows-page.ts';
import { exportParameters, exportSchema, rowsParameters } from './schemas/rows-schema.ts';

/** `GET /exp`: the rows of a held frame, in any format. Its sibling under /v1 is the same handler with the handle in the path. */
export function exportRoute(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/exp', {
    GET: {
      schema: exportSchema,
      parameters: exportParameters,
      handler: (request, reply) => {
        const query = queryOf(request);
        const handle = exportParameters.handle.read(query);
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

/** What both routes do: which version, which rows, which format; then the answer. */
export async function readRows(
  context: HttpContext,
  handleText: string,
  query: RawQuery,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const format = chooseFormat(rowsParameters.fmt.read(query), request.headers.accept);
  const limit = rowsParameters.limit.read(query);
  const columns = rowsParameters.columns.read(query)?.split(',');
  const cursor = readCursor(query);
  const asked = parseRowsHandle(handleText);
  const handle = cursor === null ? asked : pinnedBy(cursor, asked);
  const record = await context.frames.resolve(callerOf(request), handle, callerSignal(reply));
  const offset = firstRow(query, cursor);
  const options = {
    format,
    query: `handle:${handleText}`,
    quoteLargeNumbers: rowsParameters.quoteLargeNum.read(query),
  };
  const range = {
    offset,
    ...(limit === undefined ? {} : { limit }),
    ...(columns === undefined ? {} : { columns }),
  };
  await sendRows(context, request, reply, {
    handle,
    record,
    range,
    options,
    headers: {
      'cache-control': cacheControl(asked.version !== null, context.authenticator.isOpen, query.has('link')),
      'content-disposition': rowsDisposition(
        formatHandle(record.name, record.version, record.slice?.after),
        format,
        query.has('link') && query.has('fmt'),
      ),
      ...nodeHeaders(context.nodes, record),
      ...pageHeaders(context.publicUrl, record, range, options, query),
    },
  });
}
