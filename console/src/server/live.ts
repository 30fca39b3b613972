import type { FrameholdEvent } from '@framehold/client';
import { signal } from '@preact/signals';
import { isAbort } from '../ui/error-note.tsx';
import { api } from './api.ts';
import { base } from './base.ts';

export type Connection = 'connecting' | 'live' | 'offline';

/** Whether changes on the server appear on the page by themselves. */
export const connection = signal<Connection>('connecting');

const listeners = new Set<(event: FrameholdEvent) => void>();

/** Calls back for each event from now on; returns what ends it. */
export function onLive(listener: (event: FrameholdEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** What the tab with the stream sends to the others, and what a new tab asks. */
type Message =
  | { readonly kind: 'event'; readonly event: FrameholdEvent }
  | { readonly kind: 'state'; readonly state: Connection }
  | { readonly kind: 'ask' };

/** A server without the route, or a token without the right: not a reason to ask all the time. */
const retryMs = 60_000;

/**
 * Follows the server's events until it is stopped. All tabs with the same token share one stream, because a browser opens at most six
 * connections to a server over HTTP/1.1: the tab that holds the lock reads it and passes each event on. When that tab is closed, the
 * browser gives the lock to another, which goes on after the last event it has seen.
 */
export function followEvents(token: string | null): () => void {
  const stopped = new AbortController();
  connection.value = 'connecting';
  void follow(token, stopped.signal).catch((error) => {
    if (!isAbort(error)) connection.value = 'offline';
  });
  return () => stopped.abort();
}

async function follow(token: string | null, stop: AbortSignal): Promise<void> {
  // Both exist only on secure pages: elsewhere each tab has a stream of its own.
  if (navigator.locks === undefined || crypto.subtle === undefined) {
    await readStream(new Place(null), stop);
    return;
  }
  const name = `framehold-events:${base.pathname}:${await digest(token ?? '')}`;
  stop.throwIfAborted();
  const channel = new BroadcastChannel(name);
  stop.addEventListener('abort', () => channel.close(), { once: true });
  const place = new Place(channel);
  await navigator.locks.request(name, { signal: stop }, async () => {
    place.isReader = true;
    await readStream(place, stop);
  });
}

/** This tab among those that share a stream. */
class Place {
  readonly #channel: BroadcastChannel | null;
  isReader = false;
  /** The last event that this tab has seen. */
  last: string | undefined;

  constructor(channel: BroadcastChannel | null) {
    this.#channel = channel;
    channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => {
      if (data.kind === 'ask') {
        if (this.isReader) this.#send({ kind: 'state', state: connection.peek() });
      } else if (data.kind === 'state') connection.value = data.state;
      else this.#deliver(data.event);
    });
    this.#send({ kind: 'ask' });
  }

  /** An event of the stream: for this tab and the others. */
  take(event: FrameholdEvent): void {
    this.#send({ kind: 'event', event });
    this.#deliver(event);
  }

  setState(state: Connection): void {
    connection.value = state;
    this.#send({ kind: 'state', state });
  }

  #deliver(event: FrameholdEvent): void {
    if (event.kind === 'hello' || event.kind === 'reset') this.last = String(event.last);
    else if (event.kind.startsWith('frame.') && 'id' in event) this.last = event.id;
    for (const listener of listeners) listener(event);
  }

  #send(message: Message): void {
    this.#channel?.postMessage(message);
  }
}

async function readStream(place: Place, stop: AbortSignal): Promise<void> {
  for (;;) {
    try {
      const options = place.last === undefined ? {} : { after: place.last };
      for await (const event of api.events({ ...options, signal: stop })) {
        if (event.kind === 'connected') place.setState('live');
        else if (event.kind === 'disconnected') place.setState('offline');
        else place.take(event);
      }
    } catch (error) {
      stop.throwIfAborted();
      // Not one that waiting solves: the client has tried again after those.
      if (!(error instanceof Error)) throw error;
    }
    place.setState('offline');
    await pause(retryMs, stop);
  }
}

/** Tabs with other tokens belong to other tenants. The token itself must not be in a name that every tab can list. */
async function digest(text: string): Promise<string> {
  const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
  return [...bytes.subarray(0, 12)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}

function pause(ms: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    stop.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(stop.reason);
      },
      { once: true },
    );
  });
}
