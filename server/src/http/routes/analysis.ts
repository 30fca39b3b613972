import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import { parseHandle, parseVersionHandle } from '../../model/handle.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { queryOf } from '../request/raw-query.ts';
import { cacheControl } from '../response/etag.ts';
import { resource } from './resource.ts';
import {
  diffParameters,
  diffSchema,
  statisticsParameters,
  statisticsSchema,
} from './schemas/analysis-schema.ts';

/** `/v1/frames/{handle}/statistics` and `/diff`: what a version contains, and how two versions differ. */
export function analysisRoutes(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/frames/:handle/statistics', {
    GET: {
      schema: statisticsSchema,
      parameters: statisticsParameters,
      handler: (request, reply) => readStatistics(context, request, reply),
    },
  });
  resource(app, '/v1/frames/:handle/diff', {
    GET: {
      schema: diffSchema,
      parameters: diffParameters,
      handler: (request, reply) => compareVersions(context, request, reply),
    },
  });
}

async function readStatistics(
  { analysis, authenticator }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const handle = parseVersionHandle(handleText(request));
  const query = queryOf(request);
  const columns = statisticsParameters.columns.read(query)?.split(',') ?? null;
  const found = await analysis.statistics(callerOf(request), handle, columns, callerSignal(reply));
  return reply
    .header('cache-control', cacheControl(handle.version !== null, authenticator.isOpen, query.has('link')))
    .send(found);
}

async function compareVersions(
  { analysis }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const handle = parseHandle(handleText(request));
  const query = queryOf(request);
  const to = diffParameters.to.read(query);
  if (handle.version !== null && to !== undefined)
    throw new FrameholdError('bad_request', 'The later version is given twice.', {
      hint: 'Put the name in the path and the versions in from and to: /v1/frames/trades/diff?from=1&to=3.',
    });
  const from = diffParameters.from.read(query);
  if (from === undefined)
    throw new FrameholdError('bad_request', 'The request does not say which version to compare with.', {
      hint: 'Pass the version number: diff?from=1.',
    });
  const target = { handle, from, to: to ?? handle.version };
  return reply
    .header('cache-control', 'no-cache')
    .send(await analysis.diff(callerOf(request), target, callerSignal(reply)));
}

function handleText(request: FastifyRequest): string {
  return (request.params as { readonly handle: string }).handle;
}
