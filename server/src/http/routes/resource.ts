import { METHODS } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import { FrameholdError } from '../../frames/errors.ts';
import { type Parameters, querystringOf } from '../request/parameters.ts';
import { refuseUnknownParameters } from '../request/unknown-parameters.ts';
import { type RouteTraits, usualTraits } from '../route-traits.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown;

interface Verb {
  readonly handler: Handler;
  /** Every parameter that it takes from the URL. */
  readonly parameters?: Parameters;
  /** The rest of its OpenAPI description. Headers of its responses are readable by pages of allowed origins. */
  readonly schema: Readonly<Record<string, unknown>>;
}

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

export interface Resource extends Readonly<Partial<Record<Method, Verb>>> {
  /** What differs from the usual. */
  readonly traits?: Partial<RouteTraits>;
  /** If it is given, the resource is not offered: every request gets this error. */
  readonly refusal?: () => FrameholdError;
}

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
  { traits: own, refusal, ...offered }: Resource,
): void {
  const verbs = refusal === undefined ? offered : {};
  for (const method of allMethods) if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
  const traits: RouteTraits = { ...usualTraits, label: url, ...own };
  const allowed = allMethods.filter((method) =>
    method === 'HEAD' ? verbs.GET !== undefined : method in verbs,
  );
  for (const [method, verb] of Object.entries(verbs)) {
    app.route({
      method: method as Method,
      url,
      config: { traits },
      handler: traits.unknownParameters === 'ignored' ? verb.handler : strictHandler(verb),
      schema: describe(verb, traits),
      exposeHeadRoute: true,
    });
  }
  const refuse = async (_request: FastifyRequest, reply: FastifyReply): Promise<never> => {
    throw refusal?.() ?? methodNotAllowed(reply, allowed);
  };
  app.route({
    method: allMethods.filter((method) => !allowed.includes(method)),
    url,
    config: { traits },
    schema: { hide: true },
    // Before anything is said about the body, which Fastify looks at for some methods.
    onRequest: refuse,
    handler: refuse,
  });
}

/** The 405 error; sets the `Allow` header that goes with it. */
export function methodNotAllowed(reply: FastifyReply, allowed: readonly string[]): FrameholdError {
  reply.header('allow', allowed.join(', '));
  return new FrameholdError('method_not_allowed', `${reply.request.method} is not offered here.`, {
    hint: `Use ${allowed.join(' or ')}.`,
  });
}

function strictHandler({ parameters = {}, handler }: Verb): Handler {
  const taken = Object.values(parameters).map(({ name }) => name);
  return (request, reply) => {
    refuseUnknownParameters(request, taken);
    return handler(request, reply);
  };
}

/** The OpenAPI description. Every operation may be refused, and says so in one way. */
function describe({ schema, parameters = {} }: Verb, { problem }: RouteTraits): Verb['schema'] {
  const querystring = querystringOf(parameters);
  const [type = ''] = problem.contentType.split(';');
  const refusal = { description: 'An error', content: { [type]: { schema: problem.schema } } };
  return {
    ...schema,
    ...(querystring === undefined ? {} : { querystring }),
    response: { ...(schema.response as object | undefined), default: refusal },
  };
}
