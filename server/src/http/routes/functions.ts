import type { FastifyInstance } from 'fastify';
import { defaultEngine, type EngineName, parseEngineName } from '../../model/engine-name.ts';
import type { HttpContext } from '../context.ts';
import { callerOf } from '../request/caller.ts';
import { queryOf } from '../request/raw-query.ts';
import { resource } from './resource.ts';
import { functionsParameters, functionsSchema } from './schemas/functions-schema.ts';

/** `/v1/functions`: the words that statements can use, for editors that complete them. */
export function functionsRoutes(app: FastifyInstance, context: HttpContext): void {
  // Written once for an engine: the same for all, as long as the server runs.
  const answers = new Map<EngineName, string>();
  resource(app, '/v1/functions', {
    GET: {
      schema: functionsSchema,
      parameters: functionsParameters,
      handler: async (request, reply) => {
        const engine = parseEngineName(functionsParameters.engine.read(queryOf(request)) ?? defaultEngine);
        const vocabulary = await context.sql.vocabulary(callerOf(request), engine);
        const answer = answers.get(engine) ?? JSON.stringify(vocabulary);
        answers.set(engine, answer);
        return reply
          .type('application/json; charset=utf-8')
          .header('cache-control', 'private, max-age=300')
          .send(answer);
      },
    },
  });
}
