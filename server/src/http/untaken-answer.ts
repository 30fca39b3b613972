import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * An answer that is whole may still stand before the socket, and nobody waits for it any more: a caller who takes nothing of it loses the
 * connection. (Answers that are made as they are taken have their own clock in `send-stream.ts`.)
 */
export function cutUntaken(socket: Socket, answer: ServerResponse, idleMs: number): void {
  answer.once('prefinish', () => {
    // The system has taken what is not in the socket's own queue: mostly everything.
    if (socket.writableLength === 0) return;
    // Moves on with every byte that is taken; without anyone who listens for it, Node closes the connection then.
    socket.setTimeout(idleMs);
    answer.once('finish', () => {
      if (socket.timeout === idleMs) socket.setTimeout(0);
    });
  });
}
