import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

export interface SeenRequest {
  /** Request line and headers as they came. */
  readonly head: string;
  readonly socket: Socket;
  /** Resolves when the other side has closed or reset the connection. */
  readonly gone: Promise<void>;
}

/** A raw socket server that can misbehave in ways in which no real database can be made to. */
export class FakeUpstream {
  readonly url: string;
  readonly seen: SeenRequest[] = [];
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>, url: string, seen: SeenRequest[]) {
    this.#server = server;
    this.#sockets = sockets;
    this.url = url;
    this.seen = seen;
  }

  static async start(answer: (request: SeenRequest) => void): Promise<FakeUpstream> {
    const sockets = new Set<Socket>();
    const seen: SeenRequest[] = [];
    const server = createServer((socket) => {
      sockets.add(socket);
      const gone = new Promise<void>((resolve) => {
        socket.on('close', () => {
          sockets.delete(socket);
          resolve();
        });
        socket.on('end', () => resolve());
      });
      socket.on('error', () => {});
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1');
        if (!text.includes('\r\n\r\n')) return;
        const request = { head: text, socket, gone };
        text = '';
        seen.push(request);
        answer(request);
      });
    });
    const port = await new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => {
        const address = server.address();
        resolve(typeof address === 'object' && address ? address.port : 0);
      });
    });
    return new FakeUpstream(server, sockets, `http://127.0.0.1:${port}`, seen);
  }

  /** Ends all connections, waits until the other sides have ended theirs, and forgets what it has seen. */
  async forget(): Promise<void> {
    const open = [...this.#sockets];
    for (const socket of open) socket.end();
    await Promise.all(open.map((socket) => (socket.closed ? null : once(socket, 'close'))));
    this.seen.splice(0);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}
