import type { ServerHttp2Session } from 'node:http2';

/** How long a client that has sent GOAWAY may take to answer a ping before its connection is closed. Enough for the data queued before it on a slow line. */
const pingTimeoutMs = 10_000;

/**
 * A client that sends GOAWAY may still receive everything it asked for, however long that takes. But if it then sends something that HTTP/2
 * does not allow, Node neither reads nor writes nor closes the session any more, and its calls hold their resources for ever. Only pings
 * distinguish the two cases.
 */
export function pingAfterGoaway(session: ServerHttp2Session): void {
  session.once('goaway', () => {
    let answered = ping(session);
    const timer = setInterval(() => {
      if (session.destroyed) clearInterval(timer);
      else if (answered()) answered = ping(session);
      else session.destroy();
    }, pingTimeoutMs).unref();
    session.once('close', () => clearInterval(timer));
  });
}

/** Sends a ping, and returns a function that says whether it has been answered. */
function ping(session: ServerHttp2Session): () => boolean {
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
