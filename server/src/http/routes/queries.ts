import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { errorKinds } from '../../model/errors.ts';
import type { FailedState, QueryState } from '../../ports/running-queries.ts';
import type { HttpContext } from '../context.ts';
import { callerOf } from '../request/caller.ts';
import { queryOf } from '../request/raw-query.ts';
import { resource } from './resource.ts';
import {
  cancelQuerySchema,
  listQueriesSchema,
  queryParameters,
  readQuerySchema,
} from './schemas/sql-schema.ts';

/** How much of a statement's text a list shows: enough to recognise it. Hundreds of them, each a megabyte, would be too much for an answer. */
const shownCharacters = 1_000;

/** `/v1/queries`: statements that wait or run, from any listener, and why one has failed. */
export function queriesRoutes(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/queries', {
    GET: { schema: listQueriesSchema, handler: (request, reply) => listQueries(context, request, reply) },
  });
  resource(app, '/v1/queries/:id', {
    GET: {
      schema: readQuerySchema,
      parameters: queryParameters,
      handler: (request, reply) => readQuery(context, request, reply),
    },
    DELETE: {
      schema: cancelQuerySchema,
      parameters: queryParameters,
      handler: (request, reply) => cancelQuery(context, request, reply),
    },
  });
}

async function listQueries(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const queries = (await context.sql.queries(callerOf(request))).map(shown);
  return reply.header('cache-control', 'no-store').send({ queries });
}

async function readQuery(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const tenant = queryParameters.tenant.read(queryOf(request));
  const state = await context.sql.query(callerOf(request), (request.params as { id: string }).id, tenant);
  return reply
    .header('cache-control', 'no-store')
    .send(state.state === 'failed' ? failed(state) : shown(state));
}

async function cancelQuery(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const tenant = queryParameters.tenant.read(queryOf(request));
  await context.sql.cancel(callerOf(request), (request.params as { id: string }).id, tenant);
  return reply.code(204).send();
}

function failed({ id, tenant, state, startedAt, endedAt, kind, content }: FailedState): object {
  const times = { startedAt: new Date(startedAt).toISOString(), endedAt: new Date(endedAt).toISOString() };
  const { title, status } = errorKinds[kind];
  const error = { code: kind, title, status };
  if (content === null) return { id, tenant, state, ...times, error };
  const { rows, detail, hint, place } = content;
  return {
    id,
    tenant,
    state,
    ...times,
    rows,
    error: { ...error, detail, ...(hint === undefined ? {} : { hint }), ...place },
  };
}

function shown(query: QueryState): Record<string, unknown> {
  const { id, tenant, engine, state, elapsedMs, progress, content } = query;
  const startedAt = new Date(query.startedAt).toISOString();
  const common = { id, tenant, engine, state, startedAt, elapsedMs, progress };
  if (content === null) return common;
  const { sql, rows } = content;
  const text = sql.length > shownCharacters ? `${sql.slice(0, shownCharacters)}…` : sql;
  return { ...common, query: text, rows };
}
