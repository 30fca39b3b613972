import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RestoreTarget } from '../../frames/frames.ts';
import { FrameholdError } from '../../model/errors.ts';
import { parseName } from '../../model/handle.ts';
import { manifestOf } from '../../model/manifest.ts';
import type { DescribedVersion } from '../../model/version.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { conditionsOf } from '../request/conditions.ts';
import { queryOf } from '../request/raw-query.ts';
import { manifestTag } from '../response/etag.ts';
import { resource } from './resource.ts';
import { restoreParameters, restoreSchema, undropSchema } from './schemas/restoring-schema.ts';

/** `/v1/frames/{name}/restore` and `/undrop`: back to an earlier version, or to before a drop. */
export function restoringRoutes(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/frames/:handle/restore', {
    POST: {
      schema: restoreSchema,
      parameters: restoreParameters,
      conditions: ['If-Match', 'Idempotency-Key'],
      handler: (request, reply) => restoreVersion(context, request, reply),
    },
  });
  resource(app, '/v1/frames/:handle/undrop', {
    POST: { schema: undropSchema, handler: (request, reply) => undropFrame(context, request, reply) },
  });
}

async function restoreVersion(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const name = nameOf(request);
  const target = restoreTarget(request);
  const { record } = await context.frames.restore(callerOf(request), name, target, callerSignal(reply));
  return sendManifest(context, reply, record);
}

async function undropFrame(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { record } = await context.frames.undrop(callerOf(request), nameOf(request), callerSignal(reply));
  return sendManifest(context, reply, record);
}

function restoreTarget(request: FastifyRequest): RestoreTarget {
  const version = restoreParameters.version.read(queryOf(request));
  if (version === undefined)
    throw new FrameholdError('bad_request', 'The request does not say which version to restore.', {
      hint: 'Pass the version number: restore?version=3.',
    });
  return { version, ...conditionsOf(request) };
}

function sendManifest(context: HttpContext, reply: FastifyReply, record: DescribedVersion): FastifyReply {
  const manifest = manifestOf(record);
  const location = `${context.publicUrl}/v1/frames/${manifest.handle}`;
  return reply.headers({ location, etag: manifestTag(record) }).send(manifest);
}

function nameOf(request: FastifyRequest): string {
  return parseName((request.params as { handle: string }).handle);
}
