import type { Server, Socket } from 'node:net';

export interface FirstBytesOptions {
  /** A connection that has sent nothing by then only holds a place. */
  readonly waitMs: number;
  /** The whole answer to a connection that begins in another protocol; null for one that may go on. */
  readonly refuse: (first: Buffer) => string | null;
}

/** How long a refused caller may take to read why: closing at once could reset the connection before. */
const closeDelayMs = 1_000;

/**
 * Looks at how each connection begins before the server's own listeners do, so that what comes in another protocol gets an answer in it that
 * says so. Listeners that are added later see connections at once. Returns what ends those that have sent nothing yet.
 */
export function watchFirstBytes(server: Server, { waitMs, refuse }: FirstBytesOptions): () => void {
  const own = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const waiting = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    waiting.add(socket);
    const timer = setTimeout(() => socket.destroy(), waitMs);
    const end = () => {
      clearTimeout(timer);
      waiting.delete(socket);
    };
    const onError = () => socket.destroy();
    socket.on('error', onError);
    socket.once('close', end);
    socket.once('data', (first: Buffer) => {
      end();
      socket.pause();
      const answer = refuse(first);
      if (answer !== null) {
        sayGoodbye(socket, answer);
        return;
      }
      socket.off('close', end);
      socket.off('error', onError);
      // TLS and HTTP/2 take what a socket holds already for what it receives first.
      socket.unshift(first);
      for (const listener of own) listener.call(server, socket);
    });
  });
  return () => {
    for (const socket of waiting) socket.destroy();
  };
}

function sayGoodbye(socket: Socket, answer: string): void {
  socket.end(answer);
  // What is still coming is read and thrown away.
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), closeDelayMs);
  socket.once('close', () => clearTimeout(timer));
}

/** Whether a connection begins as HTTP/1 does: a method in capitals, and a blank if it is there already. HTTP/2 begins with `PRI`. */
export function isPlainHttp(first: Buffer): boolean {
  const [word = ''] = first.toString('latin1', 0, methodBytesMax).split(' ', 1);
  return word !== 'PRI' && /^[A-Z][A-Z-]+$/.test(word);
}

/** The longest that HTTP knows is `BASELINE-CONTROL`. */
const methodBytesMax = 17;
