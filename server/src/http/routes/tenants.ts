import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../base/is-object.ts';
import type { TenantDetail, TenantSummary } from '../../frames/tenants/tenants.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { HttpContext } from '../context.ts';
import { callerOf } from '../request/caller.ts';
import { decodeCursor, encodeCursor } from '../request/cursor.ts';
import { queryOf } from '../request/raw-query.ts';
import { type JsonBodyRule, receiveJson } from '../request/receive-json.ts';
import { resource } from './resource.ts';
import { pageParameters } from './schemas/frames-schema.ts';
import {
  listTenantsSchema,
  ownTenantSchema,
  setTenantSchema,
  tenantSchema,
} from './schemas/tenants-schema.ts';

const bodyRule: JsonBodyRule = {
  mediaTypes: setTenantSchema.consumes,
  // Six numbers fit many times.
  bytesMax: 16 * 1024,
  tooLargeHint: 'Send the limits to set, and nothing else.',
};

/** `/v1/tenants…` for an operator, `/v1/tenant` for a tenant itself: who uses how much, and never what. */
export function tenantsRoutes(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/tenants', {
    GET: {
      schema: listTenantsSchema,
      parameters: pageParameters,
      handler: (request, reply) => listTenants(context, request, reply),
    },
  });
  resource(app, '/v1/tenants/:tenant', {
    GET: {
      schema: tenantSchema,
      handler: async (request, reply) =>
        sendTenant(reply, await context.tenants.show(callerOf(request), tenantOf(request))),
    },
    PATCH: {
      schema: setTenantSchema,
      handler: async (request, reply) => {
        const limits = await limitsIn(context, request, reply);
        return sendTenant(
          reply,
          await context.tenants.setLimits(callerOf(request), tenantOf(request), limits),
        );
      },
    },
  });
  resource(app, '/v1/tenant', {
    GET: {
      schema: ownTenantSchema,
      handler: async (request, reply) => sendTenant(reply, await context.tenants.own(callerOf(request))),
    },
  });
}

async function listTenants(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const query = queryOf(request);
  const limit = pageParameters.limit.read(query);
  const cursor = pageParameters.cursor.read(query);
  const after =
    cursor === undefined ? '' : decodeCursor(cursor, (value): value is string => typeof value === 'string');
  const tenants = await context.tenants.list(callerOf(request), after, limit + 1);
  const last = tenants.length > limit ? tenants[limit - 1] : undefined;
  return uncached(reply).send({
    tenants: tenants.slice(0, limit).map(shownSummary),
    next: last === undefined ? null : encodeCursor(last.tenant),
  });
}

/** `{"limits": {…}}`, as JSON or as a merge patch (RFC 7396), which is the same here. */
async function limitsIn(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Readonly<Record<string, unknown>>> {
  const body = await receiveJson(context, request, reply, bodyRule);
  const limits = isObject(body) && Object.keys(body).join() === 'limits' ? body.limits : undefined;
  if (!isObject(limits))
    throw new FrameholdError('bad_request', 'The body is not an object with the member limits alone.', {
      hint: 'For example {"limits": {"bytesMax": "10GB", "queriesMax": null}}.',
    });
  // Whole numbers come as BigInts; one that a number cannot hold is beyond every limit, and refused as such.
  const plain = (value: unknown) => (typeof value === 'bigint' ? Number(value) : value);
  return Object.fromEntries(Object.entries(limits).map(([name, value]) => [name, plain(value)]));
}

function sendTenant(reply: FastifyReply, tenant: TenantDetail): FastifyReply {
  const { pinned, stored, sharedWith, sharedBy } = tenant;
  const { arrow, parquet, isWhole: complete } = stored;
  return uncached(reply).send({
    ...shownSummary(tenant),
    pinned,
    stored: { arrow, parquet, complete },
    sharedWith,
    sharedBy,
  });
}

function shownSummary(tenant: TenantSummary): Record<string, unknown> {
  return {
    tenant: tenant.tenant,
    frames: tenant.frames,
    bytes: tenant.bytes,
    ...tenant.activity,
    ...(tenant.node === null ? {} : { node: tenant.node }),
    shares: { given: tenant.sharesGiven, received: tenant.sharesReceived },
    limits: tenant.limits,
    limitsSet: tenant.limitsSet,
  };
}

function uncached(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}

function tenantOf(request: FastifyRequest): string {
  return (request.params as { tenant: string }).tenant;
}
