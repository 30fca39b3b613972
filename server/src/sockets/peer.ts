import type { Socket } from 'node:net';

/**
 * The other end of an open connection, the same for a TLS socket and for the one below it, and as grpc-js names the peer of a call. null for a unix socket, and
 * for a connection that has been reset.
 */
export function peerOf({ remoteAddress, remotePort }: Socket): string | null {
  return remoteAddress === undefined ? null : `${remoteAddress}:${remotePort}`;
}
