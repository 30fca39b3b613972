import type { Socket } from 'node:net';
import type { Server } from 'node:tls';
import { peerOf } from './peer.ts';

/** From the first packet to the end of the handshake: a few round trips, with time for a client on a bad line. */
export const handshakeMs = 10_000;

/**
 * Ends connections that have not completed the TLS handshake in time, whatever they send meanwhile. Node's own `handshakeTimeout` does not: each byte
 * begins it anew, and when it is over Node only reports it and leaves the connection open.
 */
export function limitHandshakes(server: Server): void {
  const deadlines = new Map<string, NodeJS.Timeout>();
  server.on('connection', (socket: Socket) => {
    const peer = peerOf(socket);
    // Only those can open a unix socket whom its file lets in.
    if (peer === null) return;
    const deadline = setTimeout(() => socket.destroy(), handshakeMs);
    deadlines.set(peer, deadline);
    socket.once('close', () => {
      clearTimeout(deadline);
      // Its port may belong to another connection by now.
      if (deadlines.get(peer) === deadline) deadlines.delete(peer);
    });
  });
  server.on('secureConnection', (socket) => {
    const peer = peerOf(socket);
    if (peer === null) return;
    clearTimeout(deadlines.get(peer));
    deadlines.delete(peer);
  });
}
