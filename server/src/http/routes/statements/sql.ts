import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HttpContext } from '../../context.ts';
import { callerSignal } from '../../request/caller.ts';
import { conditionsOf, everyCondition } from '../../request/conditions.ts';
import { resource } from '../resource.ts';
import { postSqlParameters, postSqlSchema, readSqlParameters, readSqlSchema } from '../schemas/sql-schema.ts';
import { answerStatement } from './send-sql.ts';
import { queryIdHeader, queryIdOf, statementInBody, statementInUrl } from './sql-request.ts';

/** `/v1/sql`: one statement over held frames. */
export function sqlRoutes(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/sql', {
    GET: {
      schema: readSqlSchema,
      parameters: readSqlParameters,
      handler: (request, reply) => readSql(context, request, reply),
    },
    POST: {
      schema: postSqlSchema,
      parameters: postSqlParameters,
      conditions: everyCondition,
      handler: (request, reply) => postSql(context, request, reply),
    },
  });
}

function readSql(context: HttpContext, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const signal = callerSignal(reply);
  const id = queryIdOf(request);
  reply.header(queryIdHeader, id);
  return answerStatement(context, request, reply, statementInUrl(request, id), signal);
}

async function postSql(context: HttpContext, request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
  const signal = callerSignal(reply);
  const id = queryIdOf(request);
  reply.header(queryIdHeader, id);
  const conditions = conditionsOf(request);
  const asked = await statementInBody(context, request, reply, id);
  // The body may have chosen another.
  reply.header(queryIdHeader, asked.request.id);
  const hasNone = Object.keys(conditions).length === 0;
  const conditional = hasNone ? asked : { ...asked, request: { ...asked.request, conditions } };
  return answerStatement(context, request, reply, conditional, signal);
}
