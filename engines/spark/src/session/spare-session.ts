import { isDeepStrictEqual } from 'node:util';
import type { ConnectClient } from '../connect/connect-client.ts';
import type { ConnectSession } from '../connect/connect-session.ts';
import { openSession, readBack } from './open-session.ts';

/** Spark forgets sessions that do nothing after an hour, and each takes memory of its driver until then. */
const unusedMsMax = 10 * 60_000;

interface Spare {
  readonly settings: ReadonlyMap<string, string>;
  /** null if none could be opened: the next statement tries by itself, and gets the reason. */
  readonly opened: Promise<ConnectSession | null>;
  readonly closing: AbortController;
  readonly unused: NodeJS.Timeout;
}

/**
 * One session that is opened before a statement needs it: making one and giving it its settings takes Spark tens of milliseconds. It serves one statement, like
 * every other.
 */
export class SpareSession {
  readonly #client: ConnectClient;
  #spare: Spare | null = null;
  #isClosed = false;

  constructor(client: ConnectClient) {
    this.#client = client;
  }

  /** A session with these settings that nobody else has. */
  async take(settings: ReadonlyMap<string, string>, signal: AbortSignal): Promise<ConnectSession> {
    const spare = this.#spare;
    if (spare !== null && isDeepStrictEqual(spare.settings, settings)) {
      this.#spare = null;
      clearTimeout(spare.unused);
      const session = await openedFor(spare, signal);
      // Spark may have been restarted since, or may have forgotten it.
      if (session !== null && (await isAsLeft(session, settings, signal))) return session;
      void session?.release();
      signal.throwIfAborted();
    }
    return openSession(this.#client, settings, signal);
  }

  /** Opens one for the next statement, which will probably want the same settings as the last. Returns at once. */
  prepare(settings: ReadonlyMap<string, string>): void {
    if (this.#isClosed || (this.#spare !== null && isDeepStrictEqual(this.#spare.settings, settings))) return;
    void this.#drop();
    const closing = new AbortController();
    const opened = openSession(this.#client, settings, closing.signal).catch(() => null);
    const unused = setTimeout(() => void this.#drop(), unusedMsMax);
    unused.unref();
    this.#spare = { settings, opened, closing, unused };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#drop();
  }

  async #drop(): Promise<void> {
    const spare = this.#spare;
    if (spare === null) return;
    this.#spare = null;
    clearTimeout(spare.unused);
    spare.closing.abort();
    await (await spare.opened)?.release();
  }
}

/** It may still be opening: a statement that ends meanwhile does not wait. */
async function openedFor({ opened, closing }: Spare, signal: AbortSignal): Promise<ConnectSession | null> {
  const onAbort = () => closing.abort();
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  try {
    return await opened;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

async function isAsLeft(
  session: ConnectSession,
  settings: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await readBack(session, settings, signal);
    return true;
  } catch {
    return false;
  }
}
