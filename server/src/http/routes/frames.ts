import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { FoundPage } from '../../frames/notes/notes.ts';
import { shownPins } from '../../frames/version-pins.ts';
import { FrameholdError } from '../../model/errors.ts';
import { parseHandle, parseName, parseVersionHandle } from '../../model/handle.ts';
import { manifestOf, summaryOf } from '../../model/manifest.ts';
import { LinkedPage } from '../console/linked-page.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { conditionsOf, everyCondition } from '../request/conditions.ts';
import { decodeCursor, encodeCursor } from '../request/cursor.ts';
import { queryOf } from '../request/raw-query.ts';
import { cacheControl, manifestTag, tagMatches } from '../response/etag.ts';
import { nodeHeaders } from '../response/node-headers.ts';
import { changeFrame } from './change-frame.ts';
import { resource } from './resource.ts';
import { restoringRoutes } from './restoring.ts';
import { readRows } from './rows.ts';
import { changeFrameSchema } from './schemas/change-frame-schema.ts';
import {
  appendRowsSchema,
  createFrameSchema,
  dropParameters,
  dropSchema,
  listFramesSchema,
  listParameters,
  manifestSchema,
  pageParameters,
  putFrameSchema,
  uploadParameters,
  versionsSchema,
} from './schemas/frames-schema.ts';
import { readRowsSchema, rowsParameters } from './schemas/rows-schema.ts';
import { receiveFrame } from './upload.ts';

/** `/v1/frames…`: names, versions, manifests, rows. */
export function framesRoutes(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/frames', {
    GET: {
      schema: listFramesSchema,
      parameters: listParameters,
      handler: (request, reply) => listFrames(context, request, reply),
    },
    POST: {
      schema: createFrameSchema,
      parameters: uploadParameters,
      conditions: everyCondition,
      handler: (request, reply) => receiveFrame(context, request, reply, null, 'create'),
    },
  });
  resource(app, '/v1/frames/:handle', {
    GET: { schema: manifestSchema, handler: (request, reply) => getManifest(context, request, reply) },
    PUT: {
      schema: putFrameSchema,
      parameters: uploadParameters,
      conditions: everyCondition,
      handler: (request, reply) =>
        receiveFrame(context, request, reply, parseName(handleOf(request)), 'replace'),
    },
    PATCH: {
      schema: changeFrameSchema,
      conditions: ['If-Match'],
      handler: (request, reply) => changeFrame(context, request, reply),
    },
    DELETE: {
      schema: dropSchema,
      parameters: dropParameters,
      conditions: ['If-Match'],
      handler: (request, reply) => dropFrame(context, request, reply),
    },
  });
  restoringRoutes(app, context);
  resource(app, '/v1/frames/:handle/versions', {
    GET: {
      schema: versionsSchema,
      parameters: pageParameters,
      handler: (request, reply) => listVersions(context, request, reply),
    },
  });
  const linked = new LinkedPage(context);
  resource(app, '/v1/frames/:handle/rows', {
    traits: {
      navigation: 'linked-page',
      refusalPage: (error, request) => linked.refusal(error, request),
    },
    GET: {
      schema: readRowsSchema,
      parameters: rowsParameters,
      handler: (request, reply) =>
        linked.mayBeWanted(request)
          ? readLinked(context, linked, request, reply)
          : readRows(context, handleOf(request), queryOf(request), request, reply),
    },
    POST: {
      schema: appendRowsSchema,
      parameters: uploadParameters,
      conditions: everyCondition,
      handler: (request, reply) =>
        receiveFrame(context, request, reply, parseName(handleOf(request)), 'append'),
    },
  });
}

function handleOf(request: FastifyRequest): string {
  return (request.params as { handle: string }).handle;
}

async function readLinked(
  context: HttpContext,
  linked: LinkedPage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  if (await linked.send(request, reply)) return;
  await readRows(context, handleOf(request), queryOf(request), request, reply);
}

async function getManifest(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const handle = parseVersionHandle(handleOf(request));
  const record = await context.frames.resolve(callerOf(request), handle, callerSignal(reply));
  const tag = manifestTag(record);
  reply.headers({
    etag: tag,
    ...nodeHeaders(context.nodes, record),
    'cache-control': cacheControl(
      handle.version !== null,
      context.authenticator.isOpen,
      queryOf(request).has('link'),
    ),
  });
  const known = request.headers['if-none-match'];
  if (known !== undefined && tagMatches(known, tag, true)) return reply.code(304).send();
  return reply.send(manifestOf(record));
}

async function dropFrame(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const handle = parseHandle(handleOf(request));
  const signal = callerSignal(reply);
  const caller = callerOf(request);
  const { ifMatch } = conditionsOf(request);
  const ifVersion =
    ifMatch?.allows(await context.frames.resolve(caller, { ...handle, version: null }, signal)) ?? null;
  const purge = dropParameters.purge.read(queryOf(request));
  await context.frames.drop(caller, handle, { ifVersion, purge }, signal);
  return reply.code(204).send();
}

async function listFrames(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const query = queryOf(request);
  const limit = pageParameters.limit.read(query);
  const cursor = pageParameters.cursor.read(query);
  const after =
    cursor === undefined ? null : decodeCursor(cursor, (value): value is string => typeof value === 'string');
  const search = listParameters.search.read(query);
  if (search !== undefined)
    return reply.send(await searchFrames(context, request, reply, { text: search, after, limit }));
  const page = { prefix: listParameters.prefix.read(query) ?? '', after, limit: limit + 1 };
  const records = await context.frames.list(callerOf(request), page, callerSignal(reply));
  const last = records.length > limit ? records[limit - 1] : undefined;
  return reply.send({
    frames: records.slice(0, limit).map(summaryOf),
    next: last === undefined ? null : encodeCursor(last.name.toLowerCase()),
  });
}

async function searchFrames(
  { notes }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  page: FoundPage,
): Promise<object> {
  if (listParameters.prefix.read(queryOf(request)) !== undefined)
    throw new FrameholdError('bad_request', 'prefix and search exclude each other.', {
      hint: 'Leave one of them out.',
    });
  const found = await notes.search(callerOf(request), page, callerSignal(reply));
  return {
    frames: found.frames.map(summaryOf),
    next: found.next === null ? null : encodeCursor(found.next),
  };
}

async function listVersions(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const name = parseName(handleOf(request));
  const query = queryOf(request);
  const limit = pageParameters.limit.read(query);
  const cursor = pageParameters.cursor.read(query);
  const before =
    cursor === undefined
      ? null
      : decodeCursor(cursor, (value): value is number => Number.isSafeInteger(value));
  const caller = callerOf(request);
  const signal = callerSignal(reply);
  const found = await context.frames.versions(caller, name, { before, limit: limit + 1 }, signal);
  const records = found.slice(0, limit);
  const last = found.length > limit ? records.at(-1) : undefined;
  const pins = await context.frames.pins(caller, records, signal);
  return reply.send({
    name: records[0]?.name ?? name,
    versions: records.map((record) => ({ ...summaryOf(record), ...shownPins(record, pins) })),
    next: last === undefined ? null : encodeCursor(last.version),
  });
}
