import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import type { SavedQuery } from '../../ports/catalog/queries.ts';
import type { HttpContext } from '../context.ts';
import { callerOf } from '../request/caller.ts';
import { parseExactJson } from '../request/exact-json.ts';
import { receiveText } from '../request/receive-text.ts';
import { resource } from './resource.ts';
import { removeQuerySchema, savedQueriesSchema, saveQuerySchema } from './schemas/saved-queries-schema.ts';

const [bodyType] = saveQuerySchema.consumes;
/** In JSON a character may be written with six. */
const escapedBytes = 6;

/** `/v1/saved-queries`: statements that the tenant has given a name. */
export function savedQueriesRoutes(app: FastifyInstance, context: HttpContext): void {
  const { savedQueries } = context;
  resource(app, '/v1/saved-queries', {
    GET: {
      schema: savedQueriesSchema,
      handler: async (request, reply) => {
        const queries = (await savedQueries.list(callerOf(request))).map(shown);
        return reply.header('cache-control', 'no-store').send({ queries });
      },
    },
  });
  resource(app, '/v1/saved-queries/:name', {
    PUT: { schema: saveQuerySchema, handler: (request, reply) => saveQuery(context, request, reply) },
    DELETE: {
      schema: removeQuerySchema,
      handler: async (request, reply) => {
        await savedQueries.remove(callerOf(request), nameOf(request));
        return reply.code(204).send();
      },
    },
  });
}

async function saveQuery(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = callerOf(request);
  context.access.check(caller, 'saved.save');
  const sql = await statementIn(context, request, reply);
  const { query, isCreated } = await context.savedQueries.save(caller, nameOf(request), sql);
  return reply
    .code(isCreated ? 201 : 200)
    .header('cache-control', 'no-store')
    .send(shown(query));
}

async function statementIn(
  { limits }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<string> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== bodyType)
    throw new FrameholdError('unsupported_media_type', 'The body has to be JSON.', {
      hint: `Send Content-Type: ${bodyType}.`,
    });
  const text = await receiveText(request, reply, {
    bodyBytesMax: limits.sqlTextBytesMax * escapedBytes,
    bodyIdleMs: limits.bodyIdleMs,
    bodyRateMin: limits.bodyRateMin,
    tooLargeHint: 'The limit of a statement is sql.text_bytes_max.',
  });
  const body = parseExactJson(text, 'The body') as { readonly sql?: unknown } | null;
  if (typeof body === 'object' && body !== null && Object.keys(body).join() === 'sql')
    if (typeof body.sql === 'string') return body.sql;
  throw new FrameholdError('bad_request', 'The body is not an object with the member sql alone, a text.', {
    hint: 'For example {"sql": "select * from trades"}.',
  });
}

function nameOf(request: FastifyRequest): string {
  return (request.params as { name: string }).name;
}

function shown({ name, sql, savedAt, savedBy }: SavedQuery): object {
  return { name, sql, savedAt: new Date(savedAt).toISOString(), savedBy };
}
