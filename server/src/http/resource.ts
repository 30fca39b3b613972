import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { methodNotAllowed } from './method-not-allowed.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown;

export interface Verb {
  readonly handler: Handler;
  /** The OpenAPI description of the operation. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export type Method = 'GET' | 'PUT' | 'POST' | 'DELETE';

const allMethods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'] as const;

/** Registers one path with its methods; every other method answers 405 with `Allow`. */
export function resource(
  app: FastifyInstance,
  url: string,
  verbs: Readonly<Partial<Record<Method, Verb>>>,
): void {
  const allowed = allMethods.filter((method) =>
    method === 'HEAD' ? verbs.GET !== undefined : method in verbs,
  );
  for (const [method, verb] of Object.entries(verbs)) {
    app.route({
      method: method as Method,
      url,
      handler: verb.handler,
      schema: verb.schema,
      exposeHeadRoute: true,
    });
  }
  app.route({
    method: allMethods.filter((method) => !allowed.includes(method)),
    url,
    schema: { hide: true },
    handler: (_request, reply) => {
      throw methodNotAllowed(reply, allowed);
    },
  });
}
