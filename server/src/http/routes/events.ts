import type { ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { EventId, EventStream, StreamedEvent } from '../../frames/events/events.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { queryOf } from '../request/raw-query.ts';
import { collectHeaders, drained } from '../response/send-stream.ts';
import { resource } from './resource.ts';
import { eventsParameters, eventsSchema } from './schemas/events-schema.ts';

/** Below the minute after which proxies commonly close a connection on which nothing comes. */
const heartbeatMs = 15_000;
/** A comment, which clients ignore. */
const heartbeat = ': \n\n';

const headers = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store',
  // nginx would collect events until its buffer is full.
  'x-accel-buffering': 'no',
};

/** `/v1/events`: what happens, as it happens. */
export function eventsRoute(app: FastifyInstance, context: HttpContext): void {
  resource(app, '/v1/events', {
    GET: {
      schema: eventsSchema,
      parameters: eventsParameters,
      handler: (request, reply) => followEvents(context, request, reply),
    },
  });
}

async function followEvents(
  { events, limits }: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  // The header wins: a client that connects again sends it with the URL that it had at first.
  const given = request.headers['last-event-id'] ?? eventsParameters.after.read(queryOf(request));
  const after = given === undefined ? null : parseEventId(given);
  const stream = await events.subscribe(callerOf(request), after, callerSignal(reply));
  reply.hijack();
  const { raw } = reply;
  raw.writeHead(200, { ...collectHeaders(reply), ...headers });
  if (request.method === 'HEAD') {
    stream.end('left');
    raw.end();
    return;
  }
  await send(raw, stream, limits.answerIdleMs);
}

/** A number, and a mark after it unless a server of an earlier release gave the id. */
const eventIdPattern = /^(\d{1,15})(?:-(\d{1,15}))?$/;

function parseEventId(given: string | readonly string[]): EventId {
  const [, seq, mark] = eventIdPattern.exec(String(given)) ?? [];
  if (seq !== undefined) return { seq: Number(seq), mark: mark === undefined ? null : Number(mark) };
  throw new FrameholdError('bad_request', 'Last-Event-ID, or after, is not the id of an event.', {
    hint: 'Send the id of the last event, or omit it.',
  });
}

/** A reader that takes nothing for `idleMs` is left: it can continue after the last event that it got. */
async function send(raw: ServerResponse, stream: EventStream, idleMs: number): Promise<void> {
  // The head goes out at once, also if nothing happens for a while.
  raw.write(heartbeat);
  const beats = setInterval(() => {
    if (!raw.writableNeedDrain) raw.write(heartbeat);
  }, heartbeatMs);
  // What has not been sent would keep the connection open for as long as the reader likes.
  stream.ended.addEventListener('abort', () => {
    if (raw.writableNeedDrain) raw.destroy();
  });
  try {
    for await (const step of stream) {
      if (raw.write(step.map(textOf).join(''))) continue;
      await drained(raw, idleMs).catch((error: unknown) => {
        stream.end(raw.destroyed ? 'left' : 'slow');
        throw error;
      });
    }
    raw.end();
  } catch {
    // It has left, or does not read, or the catalog does not answer: it can come back with the last id that it got.
    raw.destroy();
  } finally {
    clearInterval(beats);
  }
}

function textOf({ id, kind, data }: StreamedEvent): string {
  const line = id === null ? '' : `id: ${id.seq}${id.mark === null ? '' : `-${id.mark}`}\n`;
  return `${line}event: ${kind}\ndata: ${data}\n\n`;
}
