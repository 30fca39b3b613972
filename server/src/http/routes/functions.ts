import type { FastifyInstance } from 'fastify';
import type { HttpContext } from '../context.ts';
import { callerOf } from '../request/caller.ts';
import { resource } from './resource.ts';
import { functionsSchema } from './schemas/functions-schema.ts';

/** `/v1/functions`: the words that statements can use, for editors that complete them. */
export function functionsRoutes(app: FastifyInstance, context: HttpContext): void {
  // Written once: the same for all, as long as the server runs.
  let answer: string | null = null;
  resource(app, '/v1/functions', {
    GET: {
      schema: functionsSchema,
      handler: async (request, reply) => {
        const vocabulary = await context.sql.vocabulary(callerOf(request));
        answer ??= JSON.stringify(vocabulary);
        return reply
          .type('application/json; charset=utf-8')
          .header('cache-control', 'private, max-age=300')
          .send(answer);
      },
    },
  });
}
