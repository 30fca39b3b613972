import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Closes the connection of a caller who reads nothing of a complete answer for `idleMs`: part of it may still wait in the socket's queue, and
 * nothing else waits for it any more. (Answers that are made while they are sent have their own timer in `send-stream.ts`.)
 */
export function closeIfStalled(socket: Socket, answer: ServerResponse, idleMs: number): void {
  answer.once('prefinish', () => {
    // Mostly the system has taken everything already.
    if (socket.writableLength === 0) return;
    // Each byte read restarts the timer. There is no listener for the timeout, so Node closes the connection.
    socket.setTimeout(idleMs);
    answer.once('finish', () => {
      if (socket.timeout === idleMs) socket.setTimeout(0);
    });
  });
}
