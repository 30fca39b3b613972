import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { methodNotAllowed } from './method-not-allowed.ts';
import { execProblemSchema, problemSchema } from './problem-schema.ts';
import { refuseUnknownParameters, takenParameters } from './unknown-parameters.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown;

export interface Verb {
  readonly handler: Handler;
  /** The OpenAPI description of the operation. Under `/v1` and on `/exp` its `querystring` lists every parameter that is taken. */
  readonly schema: Readonly<Record<string, unknown>>;
}

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

const usual = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH', 'OPTIONS'];
/** Every method that Node's parser knows comes to the router. CONNECT does not: Node closes the connection. */
const allMethods = [
  ...usual,
  ...METHODS.filter((method) => !usual.includes(method) && method !== 'CONNECT'),
] as HTTPMethods[];

/** Registers one path with its methods; every other method answers 405 with `Allow`. */
export function resource(
  app: FastifyInstance,
  url: string,
  verbs: Readonly<Partial<Record<Method, Verb>>>,
): void {
  for (const method of allMethods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const allowed = allMethods.filter((method) =>
    method === 'HEAD' ? verbs.GET !== undefined : method in verbs,
  );
  for (const [method, verb] of Object.entries(verbs)) {
    app.route({
      method: method as Method,
      url,
      handler: isStrict(url) ? strictHandler(verb) : verb.handler,
      schema: withProblems(url, verb.schema),
      exposeHeadRoute: true,
    });
  }
  const refuse = async (_request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    throw methodNotAllowed(reply, allowed);
  };
  app.route({
    method: allMethods.filter((method) => !allowed.includes(method)),
    url,
    schema: { hide: true },
    // Before anything is said about the body, which Fastify looks at for some methods.
    onRequest: refuse,
    handler: refuse,
  });
}

/** `/exec` takes whatever QuestDB's clients send, and probes may add what they like. */
function isStrict(url: string): boolean {
  return url === '/exp' || url.startsWith('/v1/');
}

function strictHandler({ schema, handler }: Verb): Handler {
  const taken = takenParameters(schema);
  return (request, reply) => {
    refuseUnknownParameters(request, taken);
    return handler(request, reply);
  };
}

/** Every operation may be refused, and says so in one way. */
function withProblems(url: string, schema: Verb['schema']): Verb['schema'] {
  const problems = { default: url === '/exec' ? execProblemSchema : problemSchema };
  return { ...schema, response: { ...(schema.response as object | undefined), ...problems } };
}
