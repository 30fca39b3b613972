import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import { type Condition, conditionsSchema, refuseOtherConditions } from '../request/conditions.ts';
import { type Parameters, querystringOf } from '../request/parameters.ts';
import { refuseUnknownParameters } from '../request/unknown-parameters.ts';
import { type RouteTraits, usualTraits } from '../route-traits.ts';

type Handler = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | unknown;

interface Verb {
  readonly handler: Handler;
  /** Every parameter that it takes from the URL. */
  readonly parameters?: Parameters;
  /** Conditions that a change honours. It refuses the others; a read ignores those that it does not know, as HTTP has it. */
  readonly conditions?: readonly Condition[];
  /** The rest of its OpenAPI description. Headers of its responses are readable by pages of allowed origins. */
  readonly schema: Readonly<Record<string, unknown>>;
}

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';

/** As `Allow` lists them. */
const methodOrder = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH'] as const;

export interface Resource extends Readonly<Partial<Record<Method, Verb>>> {
  /** What differs from the usual. */
  readonly traits?: Partial<RouteTraits>;
  /** If it is given, the resource is not offered: every request gets this error. */
  readonly refusal?: () => FrameholdError;
}

/** Registers one path with its methods. The listener answers every other method with 405 and `Allow`. */
export function resource(
  app: FastifyInstance,
  url: string,
  { traits: own, refusal, ...offered }: Resource,
): void {
  const verbs = refusal === undefined ? offered : {};
  const traits: RouteTraits = { ...usualTraits, label: url, ...own };
  for (const [method, verb] of Object.entries(verbs)) {
    app.route({
      method: method as Method,
      url,
      config: { traits },
      handler: traits.unknownParameters === 'ignored' ? verb.handler : strictHandler(verb, method !== 'GET'),
      schema: describe(verb, traits),
      exposeHeadRoute: true,
    });
  }
  const allowed = methodOrder.filter((method) =>
    method === 'HEAD' ? verbs.GET !== undefined : method in verbs,
  );
  const refuse = (reply: FastifyReply) => refusal?.() ?? methodNotAllowed(reply, allowed);
  app.offeredPaths.add(url, { traits, refuse });
}

/** The 405 error; sets the `Allow` header that goes with it. */
export function methodNotAllowed(reply: FastifyReply, allowed: readonly string[]): FrameholdError {
  reply.header('allow', allowed.join(', '));
  return new FrameholdError('method_not_allowed', `${reply.request.method} is not supported here.`, {
    hint: `Use ${allowed.join(' or ')}.`,
  });
}

function strictHandler({ parameters = {}, conditions = [], handler }: Verb, isChange: boolean): Handler {
  const taken = Object.values(parameters).map(({ name }) => name);
  return (request, reply) => {
    refuseUnknownParameters(request, taken);
    if (isChange) refuseOtherConditions(request, conditions);
    return handler(request, reply);
  };
}

/** The OpenAPI description. Every operation may be refused, and says so in one way. */
function describe(
  { schema, parameters = {}, conditions = [] }: Verb,
  { problem }: RouteTraits,
): Verb['schema'] {
  const querystring = querystringOf(parameters);
  const [type = ''] = problem.contentType.split(';');
  const refusal = { description: 'An error', content: { [type]: { schema: problem.schema } } };
  return {
    ...schema,
    ...(querystring === undefined ? {} : { querystring }),
    ...conditionsSchema(conditions),
    response: { ...(schema.response as object | undefined), default: refusal },
  };
}
