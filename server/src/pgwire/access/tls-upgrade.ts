import type { Socket } from 'node:net';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { Certificates } from '../../sockets/certificates.ts';
import { peerOf } from '../../sockets/peer.ts';

/** As IANA has registered it. */
export const alpnProtocol = 'postgresql';

/** Makes an open connection one with TLS. The server below binds to nothing: it is given each connection. */
export class TlsUpgrade {
  readonly #server: Server;
  /** By peer, which is the same for a connection and for what TLS makes of it. */
  readonly #waiting = new Map<string, (secured: TLSSocket | null) => void>();

  constructor(certificates: Certificates) {
    // A client that offers other protocols only is refused by Node; most clients offer none.
    this.#server = createServer({ ...certificates.options, ALPNProtocols: [alpnProtocol] });
    certificates.follow(this.#server);
    this.#server.on('secureConnection', (socket) => this.#resolve(socket, socket));
    this.#server.on('tlsClientError', (_error, socket) => {
      this.#resolve(socket, null);
      socket.destroy();
    });
  }

  /** null if there was no handshake, or the connection has none that can be told from others. */
  async secure(socket: Socket): Promise<TLSSocket | null> {
    const peer = peerOf(socket);
    if (peer === null) return null;
    const { promise, resolve } = Promise.withResolvers<TLSSocket | null>();
    const onClose = () => resolve(null);
    this.#waiting.set(peer, resolve);
    socket.once('close', onClose);
    this.#server.emit('connection', socket);
    const secured = await promise;
    this.#waiting.delete(peer);
    socket.off('close', onClose);
    return secured;
  }

  #resolve(socket: Socket, secured: TLSSocket | null): void {
    const peer = peerOf(socket);
    if (peer !== null) this.#waiting.get(peer)?.(secured);
  }
}
