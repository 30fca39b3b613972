import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import type { HistoryEntry } from '../../ports/catalog/queries.ts';
import type { HttpContext } from '../context.ts';
import { callerOf } from '../request/caller.ts';
import { decodeCursor, encodeCursor } from '../request/cursor.ts';
import { queryOf } from '../request/raw-query.ts';
import { resource } from './resource.ts';
import { clearHistorySchema, historyParameters, historySchema, searchMax } from './schemas/history-schema.ts';

/** `/v1/history`: the statements that the caller itself has run. */
export function historyRoutes(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/history', {
    GET: {
      schema: historySchema,
      parameters: historyParameters,
      handler: (request, reply) => listHistory(context, request, reply),
    },
    DELETE: {
      schema: clearHistorySchema,
      handler: async (request, reply) => {
        await context.history.clear(callerOf(request));
        return reply.code(204).send();
      },
    },
  });
}

async function listHistory(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = queryOf(request);
  const limit = historyParameters.limit.read(query);
  const cursor = historyParameters.cursor.read(query);
  const search = historyParameters.search.read(query) ?? '';
  if (search.length > searchMax || search.includes('\0'))
    throw new FrameholdError('bad_request', 'The text to search for is not usable.', {
      hint: `Give at most ${searchMax} characters.`,
    });
  const before = cursor === undefined ? null : decodeCursor(cursor, isId);
  const page = { before, limit, search: search === '' ? null : search };
  const { entries, hasMore } = await context.history.list(callerOf(request), page);
  const last = hasMore ? entries.at(-1) : undefined;
  return reply
    .header('cache-control', 'no-store')
    .send({ history: entries.map(shown), next: last === undefined ? null : encodeCursor(last.id) });
}

function isId(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function shown({
  id,
  queryId,
  sql,
  engine,
  state,
  error,
  rows,
  startedAt,
  durationMs,
}: HistoryEntry): object {
  const started = new Date(startedAt).toISOString();
  return { id: String(id), queryId, sql, engine, state, error, rows, startedAt: started, durationMs };
}
