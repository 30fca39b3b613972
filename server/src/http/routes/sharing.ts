import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { linkEntryOf } from '../../frames/sharing/sharing.ts';
import { parseTtlMs } from '../../model/duration.ts';
import { parseName, parseVersionHandle } from '../../model/handle.ts';
import { handleTextOf, summaryOf } from '../../model/manifest.ts';
import type { HttpContext } from '../context.ts';
import { baseUrlOf } from '../request/base-url.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { decodeCursor, encodeCursor, isSharedPlace } from '../request/cursor.ts';
import { queryOf } from '../request/raw-query.ts';
import { resource } from './resource.ts';
import { pageParameters } from './schemas/frames-schema.ts';
import {
  linkParameters,
  linkSchema,
  linksSchema,
  sharedSchema,
  shareSchema,
  sharesSchema,
  unlinkSchema,
  unshareSchema,
} from './schemas/sharing-schema.ts';

/** Long enough for the mail to be read. */
const linkTtl = '1d';

/** Letting other tenants read a frame, and links to one version. */
export function sharingRoutes(app: FastifyInstance, context: HttpContext): void {
  const { sharing } = context;
  resource(app, '/v1/shared', {
    GET: {
      schema: sharedSchema,
      parameters: pageParameters,
      handler: (request, reply) => listShared(context, request, reply),
    },
  });
  resource(app, '/v1/frames/:handle/shares', {
    GET: {
      schema: sharesSchema,
      handler: async (request, reply) => {
        const { handle } = parametersOf(request);
        return { shares: await sharing.shares(callerOf(request), parseName(handle), callerSignal(reply)) };
      },
    },
  });
  resource(app, '/v1/frames/:handle/shares/:tenant', {
    PUT: {
      schema: shareSchema,
      handler: async (request, reply) => {
        const { handle, tenant } = parametersOf(request);
        const name = parseName(handle);
        return { shares: await sharing.share(callerOf(request), name, tenant, callerSignal(reply)) };
      },
    },
    DELETE: {
      schema: unshareSchema,
      handler: async (request, reply) => {
        const { handle, tenant } = parametersOf(request);
        const name = parseName(handle);
        return { shares: await sharing.unshare(callerOf(request), name, tenant, callerSignal(reply)) };
      },
    },
  });
  resource(app, '/v1/frames/:handle/links', {
    GET: {
      schema: linksSchema,
      handler: async (request, reply) => {
        const name = parseName(parametersOf(request).handle);
        const links = await sharing.links(callerOf(request), name, callerSignal(reply));
        return { links: links.map(linkEntryOf) };
      },
    },
    POST: {
      schema: linkSchema,
      parameters: linkParameters,
      handler: (request, reply) => makeLink(context, request, reply),
    },
  });
  resource(app, '/v1/frames/:handle/links/:id', {
    DELETE: {
      schema: unlinkSchema,
      handler: async (request, reply) => {
        const { handle, id } = parametersOf(request);
        await sharing.unlink(callerOf(request), parseName(handle), id, callerSignal(reply));
        return reply.code(204).send();
      },
    },
  });
}

interface Parameters {
  readonly handle: string;
  readonly tenant: string;
  readonly id: string;
}

function parametersOf(request: FastifyRequest): Parameters {
  return request.params as Parameters;
}

async function makeLink(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const handle = parseVersionHandle(parametersOf(request).handle);
  const ttlMs = parseTtlMs(linkParameters.ttl.read(queryOf(request)) ?? linkTtl);
  const made = await context.sharing.link(callerOf(request), handle, ttlMs, callerSignal(reply));
  const pinned = handleTextOf(made.record);
  const base = baseUrlOf(context, request);
  return reply
    .code(201)
    .header('cache-control', 'no-store')
    .send({
      handle: pinned,
      id: made.id,
      link: made.link,
      url: `${base}/v1/frames/${pinned}/rows?link=${made.link}`,
      fileUrl: `${base}/v1/files/${pinned}.parquet?link=${made.link}`,
      expiresAt: new Date(made.expiresAt).toISOString(),
    });
}

async function listShared(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const query = queryOf(request);
  const limit = pageParameters.limit.read(query);
  const cursor = pageParameters.cursor.read(query);
  const after = cursor === undefined ? null : decodeCursor(cursor, isSharedPlace);
  const records = await context.sharing.sharedWithMe(
    callerOf(request),
    { after, limit: limit + 1 },
    callerSignal(reply),
  );
  const last = records.length > limit ? records[limit - 1] : undefined;
  return reply.send({
    frames: records.slice(0, limit).map(summaryOf),
    next: last === undefined ? null : encodeCursor({ tenant: last.tenant, name: last.name }),
  });
}
