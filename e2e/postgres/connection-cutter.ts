import { createConnection, createServer, type Server, type Socket } from 'node:net';

const words = Buffer.from('cut here');

/** A port before a server that ends a connection as soon as its client has sent the words `cut here`: the server seems to have gone. */
export class ConnectionCutter implements AsyncDisposable {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(port: number): Promise<ConnectionCutter> {
    const server = createServer();
    const cutter = new ConnectionCutter(server);
    server.on('connection', (near) => cutter.#pass(near, createConnection({ host: '127.0.0.1', port })));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return cutter;
  }

  get port(): number {
    const address = this.#server.address();
    if (address === null || typeof address === 'string') throw new Error('not listening');
    return address.port;
  }

  /** A statement of a test arrives in one piece: it is shorter than any segment. */
  #pass(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => {
        if (from === near && bytes.includes(words)) {
          near.destroy();
          far.destroy();
        } else to.write(bytes);
      });
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
