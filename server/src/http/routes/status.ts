import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { TenantStatus } from '../../frames/status/status.ts';
import { pinnedUntil } from '../../frames/version-pins.ts';
import { type Caller, isOperator } from '../../model/caller.ts';
import { scopes } from '../../model/scope.ts';
import type { PinnedHolding } from '../../ports/catalog/pins.ts';
import type { HttpContext } from '../context.ts';
import { callerOf } from '../request/caller.ts';
import { resource } from './resource.ts';
import { statusSchema } from './schemas/status-schema.ts';

/** `/v1/status`: the server, and what of it belongs to the caller's tenant. */
export function statusRoutes(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/status', {
    GET: { schema: statusSchema, handler: (request, reply) => readStatus(context, request, reply) },
  });
}

async function readStatus(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const caller = callerOf(request);
  const { version, startedAt, closeCommand, hasUpstream, engines, tenant } =
    await context.status.read(caller);
  return reply.header('cache-control', 'no-store').send({
    version,
    startedAt: new Date(startedAt).toISOString(),
    ready: await context.isReady(),
    open: closeCommand !== null,
    ...(closeCommand === null ? {} : { closeCommand }),
    tsdb: hasUpstream,
    engines,
    flight: flightUrl(context, request),
    caller: shownCaller(caller),
    ...(tenant === null ? {} : shownTenant(tenant)),
  });
}

/** Under the name by which the caller reached the server, unless another is configured. */
function flightUrl(context: HttpContext, request: FastifyRequest): string | null {
  const place = context.flight();
  if (place === null) return null;
  if ('publicUrl' in place) return place.publicUrl;
  const scheme = context.certificates === null ? 'grpc' : 'grpc+tls';
  // Not Fastify's own, which cuts an IPv6 address at its first colon.
  const host = URL.parse(`http://${request.host}`)?.hostname ?? 'localhost';
  return `${scheme}://${host}:${place.port}`;
}

function shownCaller(caller: Caller): object {
  const given = scopes.filter((scope) => caller.scopes.has(scope));
  return { tenant: isOperator(caller) ? null : caller.tenant, name: caller.name, scopes: given };
}

function shownTenant({ frames, bytes, pinned, limits, settling, statements }: TenantStatus): object {
  const storage = { frames, bytes, bytesMax: limits.bytesMax, pinned: shownPinned(pinned) };
  return { settling, storage, statements, limits };
}

function shownPinned({ versions, bytes, frames }: PinnedHolding): object {
  const shown = frames.map(({ until, ...frame }) => ({ ...frame, until: pinnedUntil(until) }));
  return { versions, bytes, frames: shown };
}
