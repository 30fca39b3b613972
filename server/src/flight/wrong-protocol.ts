import { isPlainHttp } from '../sockets/first-bytes.ts';

/**
 * What a browser or curl that asks the gRPC port gets; null for connections that may go on. Nothing is said to gRPC without TLS: a client that is
 * sent away in HTTP/2 tries again at once, without end.
 */
export function refuseHttp(first: Buffer, isTls: boolean): string | null {
  if (!isPlainHttp(first)) return null;
  const body = `This port speaks gRPC (Arrow Flight)${isTls ? ' over TLS' : ''}, not HTTP/1.1. HTTP has a port of its own: see http.bind_address.\n`;
  return [
    'HTTP/1.1 400 Bad Request',
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
