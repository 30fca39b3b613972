import type { Origin } from '../answers.ts';
import { FrameholdError, networkError } from '../errors.ts';
import { chunksOf } from '../stream-chunks.ts';
import { parseAnswer, pause, type Transport } from '../transport.ts';
import { EventLines, type SentEvent } from './event-lines.ts';

export type FrameEventKind =
  | 'frame.created'
  | 'frame.replaced'
  | 'frame.appended'
  | 'frame.restored'
  | 'frame.expired'
  | 'frame.dropped'
  | 'frame.undropped'
  | 'frame.settled'
  | 'frame.changed';

export interface FrameEvent {
  readonly kind: FrameEventKind;
  /** The tenant's own sequence. */
  readonly id: string;
  readonly name: string;
  /** The newest; of a frame that has ended, its last. */
  readonly version: number;
  readonly at: string;
  /** These four are absent if the frame has ended. */
  readonly rows?: number;
  readonly bytes?: number;
  readonly expiresAt?: string | null;
  readonly origin?: Origin;
  /** Of `frame.changed`: what has changed. */
  readonly change?: 'expiry' | 'notes' | 'shares' | 'tags' | 'version' | 'versionsKeep';
  /** The version that was dropped. */
  readonly dropped?: number;
}

/** Sent live only: it has no id, and is not repeated after a gap. */
export interface StatementEvent {
  readonly kind: 'statement.started' | 'statement.ended';
  readonly id: string;
  readonly state: 'waiting' | 'running' | 'done' | 'failed' | 'cancelled';
  readonly query: string;
  readonly startedAt: string;
  readonly rows?: number;
  readonly durationMs?: number;
  readonly error?: { readonly code: string; readonly detail?: string };
}

/**
 * `hello`: the stream has begun, after the event `last`. `reset`: events were missed that are no longer kept; read again what was read before.
 * `connected` and `disconnected` come from the client.
 */
export interface StreamEvent {
  readonly kind: 'hello' | 'reset';
  readonly last: number;
}

export type ConnectionEvent =
  | { readonly kind: 'connected' }
  | { readonly kind: 'disconnected'; readonly error: FrameholdError; readonly retryInMs: number };

export type FrameholdEvent = FrameEvent | StatementEvent | StreamEvent | ConnectionEvent;

export interface EventsOptions {
  readonly signal?: AbortSignal;
  /** Go on after this event. */
  readonly after?: string;
}

/** The server sends something every 15 s. Three times that, and the connection is gone, even if nobody has said so. */
const silenceMsMax = 45_000;
const firstWaitMs = 500;
/** Long enough that a server that restarts is not pressed, short enough that nobody reloads the page. */
const waitMsMax = 30_000;

/** Events as they happen, over any number of connections. Ends only with the signal, or with an error that repeating cannot solve. */
export async function* readEvents(
  transport: Transport,
  { signal, after }: EventsOptions = {},
): AsyncGenerator<FrameholdEvent, void, void> {
  let lastId = after;
  let failures = 0;
  for (;;) {
    let error: FrameholdError;
    try {
      for await (const sent of readConnection(transport, lastId, signal)) {
        failures = 0;
        if (sent === 'connected') yield { kind: 'connected' };
        else {
          if (sent.id !== undefined) lastId = sent.id;
          yield eventOf(sent);
        }
      }
      error = networkError(transport.base, undefined);
    } catch (thrown) {
      signal?.throwIfAborted();
      if (!(thrown instanceof FrameholdError) || !isPassing(thrown)) throw thrown;
      error = thrown;
    }
    const retryInMs = waitMs(failures++, error);
    yield { kind: 'disconnected', error, retryInMs };
    await pause(retryInMs, signal);
  }
}

async function* readConnection(
  transport: Transport,
  lastId: string | undefined,
  signal: AbortSignal | undefined,
): AsyncGenerator<SentEvent | 'connected', void, void> {
  // Ends this connection only, also if the caller goes on with the next.
  const connection = new AbortController();
  const stop = () => connection.abort(signal?.reason);
  signal?.throwIfAborted();
  signal?.addEventListener('abort', stop, { once: true });
  let silence = setTimeout(stop, silenceMsMax);
  try {
    const answer = await transport.send('v1/events', {
      headers: { accept: 'text/event-stream', ...(lastId === undefined ? {} : { 'last-event-id': lastId }) },
      signal: connection.signal,
    });
    yield 'connected';
    const lines = new EventLines();
    const utf8 = new TextDecoder();
    for await (const chunk of answer.body === null ? [] : chunksOf(answer.body)) {
      clearTimeout(silence);
      silence = setTimeout(stop, silenceMsMax);
      yield* lines.push(utf8.decode(chunk, { stream: true }));
    }
  } catch (thrown) {
    signal?.throwIfAborted();
    throw thrown instanceof FrameholdError ? thrown : networkError(transport.base, thrown);
  } finally {
    clearTimeout(silence);
    signal?.removeEventListener('abort', stop);
    connection.abort();
  }
}

/** A missing token or a missing right does not come by waiting. */
export function isPassing({ code, status }: FrameholdError): boolean {
  return code === 'network' || status === 408 || status === 429 || status >= 500;
}

/** Twice as long each time, and by chance up to half of it less, so that not all pages come back at once. */
export function waitMs(failures: number, { retryAfterMs = 0 }: FrameholdError): number {
  const longest = Math.min(firstWaitMs * 2 ** Math.min(failures, 10), waitMsMax);
  return Math.max(retryAfterMs, Math.round(longest * (1 - Math.random() / 2)));
}

function eventOf({ id, kind, data }: SentEvent): FrameholdEvent {
  const members = parseAnswer<object>(data);
  return { ...(id === undefined ? {} : { id }), ...members, kind } as unknown as FrameholdEvent;
}
