import type { ServerHttp2Session } from 'node:http2';

/** A client that is leaving answers a ping within this time, or its connection is closed. Enough for what stands before it on a slow line. */
const farewellMs = 10_000;

/**
 * A client that says goodbye (GOAWAY) may still take what it asked for, for as long as that takes. But where it then sends something that
 * HTTP/2 does not allow, Node neither reads nor writes nor closes any more, and its calls hold what they have for ever. Only pings tell the
 * two apart.
 */
export function watchFarewell(session: ServerHttp2Session): void {
  session.once('goaway', () => {
    let answered = ask(session);
    const timer = setInterval(() => {
      if (session.destroyed) clearInterval(timer);
      else if (answered()) answered = ask(session);
      else session.destroy();
    }, farewellMs).unref();
    session.once('close', () => clearInterval(timer));
  });
}

/** Sends a ping; gives whether it was answered so far. */
function ask(session: ServerHttp2Session): () => boolean {
  let answered = false;
  try {
    session.ping((error) => {
      answered = error === null;
    });
  } catch {
    // It has just been closed.
  }
  return () => answered;
}
