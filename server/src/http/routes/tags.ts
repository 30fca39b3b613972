import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { tagEntryOf } from '../../frames/tags/tags.ts';
import { parseName, parseTag, parseVersionHandle } from '../../model/handle.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { conditionsOf } from '../request/conditions.ts';
import { resource } from './resource.ts';
import { setTagSchema, tagsSchema, untagSchema } from './schemas/tags-schema.ts';

/** Names for versions of a frame. */
export function tagsRoutes(app: FastifyInstance, { tags }: HttpContext): void {
  resource(app, '/v1/frames/:handle/tags', {
    GET: {
      schema: tagsSchema,
      handler: async (request, reply) => {
        const handle = parseVersionHandle(parametersOf(request).handle);
        const found = await tags.list(callerOf(request), handle, callerSignal(reply));
        return { tags: found.map((tag) => tagEntryOf(handle, tag)) };
      },
    },
  });
  resource(app, '/v1/frames/:handle/tags/:tag', {
    PUT: {
      schema: setTagSchema,
      conditions: ['If-Match', 'If-None-Match'],
      handler: async (request, reply) => {
        const handle = parseVersionHandle(parametersOf(request).handle);
        const tag = parseTag(parametersOf(request).tag);
        const made = await tags.set(
          callerOf(request),
          handle,
          tag,
          conditionsOf(request),
          callerSignal(reply),
        );
        return tagEntryOf(handle, made);
      },
    },
    DELETE: {
      schema: untagSchema,
      conditions: ['If-Match'],
      handler: (request, reply) => removeTag(tags, request, reply),
    },
  });
}

async function removeTag(
  tags: HttpContext['tags'],
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { handle, tag } = parametersOf(request);
  const conditions = conditionsOf(request);
  await tags.remove(callerOf(request), parseName(handle), parseTag(tag), conditions, callerSignal(reply));
  return reply.code(204).send();
}

function parametersOf(request: FastifyRequest): { readonly handle: string; readonly tag: string } {
  return request.params as { readonly handle: string; readonly tag: string };
}
