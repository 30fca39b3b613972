import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { FrontendTexts } from './frontend-texts.ts';

/** Which transactions: given the texts of all its statements. */
export type WhichCommit = (texts: readonly string[]) => boolean;

/**
 * A way to PostgreSQL on which the reply to a COMMIT can be lost: the database has committed and said so, and the connection ends before
 * the node hears it. No fault of a plain TCP proxy is as exact.
 */
export class CommitCutter {
  readonly #server: Server;
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  #which: WhichCommit | null = null;
  /** Replies that were lost. */
  cut = 0;

  private constructor(target: URL) {
    this.#target = { host: target.hostname, port: Number(target.port) };
    this.#server = createServer((node) => this.#pass(node));
  }

  /** Before the database of this URL. */
  static async before(url: string): Promise<CommitCutter> {
    const cutter = new CommitCutter(new URL(url));
    cutter.#server.listen(0, '127.0.0.1');
    await once(cutter.#server, 'listening');
    return cutter;
  }

  /** The URL to use instead. */
  through(url: string): string {
    const other = new URL(url);
    other.hostname = '127.0.0.1';
    other.port = String((this.#server.address() as AddressInfo).port);
    return other.href;
  }

  /** The reply to the next COMMIT like this is lost. */
  cutNext(which: WhichCommit): void {
    this.#which = which;
  }

  get isArmed(): boolean {
    return this.#which !== null;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #pass(node: Socket): void {
    const database = connect(this.#target);
    const texts = new FrontendTexts();
    for (const [socket, other] of [
      [node, database],
      [database, node],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    node.on('data', (chunk: Buffer) => {
      texts.take(chunk);
      if (!database.write(chunk)) waitFor(node, database);
    });
    database.on('data', (chunk: Buffer) => {
      // Small, and sent in one piece: the end of a transaction is never split in practice, and a missed one only leaves the cutter armed.
      if (chunk.includes(committed)) {
        if (this.#which?.(texts.sinceBegin())) {
          this.#which = null;
          this.cut += 1;
          node.destroy();
          return;
        }
      }
      if (!node.write(chunk)) waitFor(database, node);
    });
  }
}

/** CommandComplete with the tag of a transaction that was committed. */
const committed = Buffer.from('C\0\0\0\x0bCOMMIT\0', 'latin1');

function waitFor(source: Socket, sink: Socket): void {
  source.pause();
  sink.once('drain', () => source.resume());
}
