import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReadNotes } from '../../frames/notes/notes.ts';
import { notesPatchIn } from '../../frames/notes/notes-patch.ts';
import { parseName, parseVersionHandle } from '../../model/handle.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { receiveJson } from '../request/receive-json.ts';
import { tagMatches } from '../response/etag.ts';
import { resource } from './resource.ts';
import { changeNotesSchema, notesSchema } from './schemas/notes-schema.ts';

const bodyRule = {
  mediaTypes: changeNotesSchema.consumes,
  // Every comment of a wide frame at once.
  bytesMax: 512 * 1024,
  tooLargeHint: 'Send fewer columns at a time.',
};

/** What people say of a frame. */
export function notesRoutes(app: FastifyInstance, context: HttpContext): void {
  const { notes } = context;
  resource(app, '/v1/frames/:handle/notes', {
    GET: {
      schema: notesSchema,
      handler: async (request, reply) => {
        const handle = parseVersionHandle(handleOf(request));
        const found = await notes.read(callerOf(request), handle, callerSignal(reply));
        const tag = tagOf(found.id);
        reply.headers({ etag: tag, 'cache-control': 'private, no-cache' });
        const known = request.headers['if-none-match'];
        if (known !== undefined && tagMatches(known, tag, true)) return reply.code(304).send();
        return reply.send(found.notes);
      },
    },
    PATCH: {
      schema: changeNotesSchema,
      conditions: ['If-Match'],
      handler: async (request, reply) => {
        const name = parseName(handleOf(request));
        const patch = notesPatchIn(await receiveJson(context, request, reply, bodyRule));
        const ifMatch = request.headers['if-match'];
        const guard =
          ifMatch === undefined ? null : (id: string | null) => tagMatches(ifMatch, tagOf(id), false);
        return sendNotes(
          reply,
          await notes.change(callerOf(request), name, patch, guard, callerSignal(reply)),
        );
      },
    },
  });
}

function sendNotes(reply: FastifyReply, { notes, id }: ReadNotes): FastifyReply {
  return reply.header('etag', tagOf(id)).send(notes);
}

function tagOf(id: string | null): string {
  return `"${id ?? 'none'}"`;
}

function handleOf(request: FastifyRequest): string {
  return (request.params as { readonly handle: string }).handle;
}
