import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TenantDetail, TenantSummary } from '../../frames/tenants.ts';
import { callerOf } from '../caller-of.ts';
import type { HttpContext } from '../context.ts';
import { decodeCursor, encodeCursor } from '../cursor.ts';
import { pageLimit } from '../page-limit.ts';
import { RawQuery } from '../raw-query.ts';
import { resource } from '../resource.ts';
import { listTenantsSchema, ownTenantSchema, tenantSchema } from './tenants-schema.ts';

/** `/v1/tenants…` for an operator, `/v1/tenant` for a tenant itself: who uses how much, and never what. */
export function tenantsRoutes(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/tenants', {
    GET: { schema: listTenantsSchema, handler: (request, reply) => listTenants(context, request, reply) },
  });
  resource(app, '/v1/tenants/:tenant', {
    GET: {
      schema: tenantSchema,
      handler: async (request, reply) =>
        sendTenant(reply, await context.tenants.show(callerOf(request), tenantOf(request))),
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
  const query = new RawQuery(request.raw.url ?? '');
  const limit = pageLimit(query);
  const cursor = query.value('cursor');
  const after =
    cursor === undefined ? '' : decodeCursor(cursor, (value): value is string => typeof value === 'string');
  const tenants = await context.tenants.list(callerOf(request), after, limit + 1);
  const last = tenants.length > limit ? tenants[limit - 1] : undefined;
  return uncached(reply).send({
    tenants: tenants.slice(0, limit).map(shownSummary),
    next: last === undefined ? null : encodeCursor(last.tenant),
  });
}

function sendTenant(reply: FastifyReply, tenant: TenantDetail): FastifyReply {
  const { sharedWith, sharedBy } = tenant;
  return uncached(reply).send({ ...shownSummary(tenant), sharedWith, sharedBy });
}

function shownSummary(tenant: TenantSummary): Record<string, unknown> {
  return {
    tenant: tenant.tenant,
    frames: tenant.frames,
    bytes: tenant.bytes,
    ...tenant.activity,
    shares: { given: tenant.sharesGiven, received: tenant.sharesReceived },
    limits: tenant.limits,
  };
}

function uncached(reply: FastifyReply): FastifyReply {
  return reply.header('cache-control', 'no-store');
}

function tenantOf(request: FastifyRequest): string {
  return (request.params as { tenant: string }).tenant;
}
