import { connect, type Socket } from 'node:net';

export interface Message {
  readonly type: string;
  readonly payload: Buffer;
}

/** A connection to PostgreSQL that gives the bytes of its messages as they came. For a server that trusts everybody. */
export class RawPostgres {
  readonly #socket: Socket;
  #received: Buffer = Buffer.alloc(0);
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
  }

  static async connect(port: number): Promise<RawPostgres> {
    const socket = connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    const raw = new RawPostgres(socket);
    const names = Buffer.from('user\0framehold\0database\0postgres\0client_encoding\0UTF8\0\0');
    const head = Buffer.alloc(8);
    head.writeInt32BE(8 + names.length);
    head.writeInt32BE(196_608, 4);
    socket.write(Buffer.concat([head, names]));
    await raw.#untilReady();
    return raw;
  }

  /** The messages of a statement in the simple protocol. */
  async query(sql: string): Promise<Message[]> {
    this.#send('Q', Buffer.from(`${sql}\0`));
    return await this.#untilReady();
  }

  /** Rows in the extended protocol, all columns in this format. */
  async rows(sql: string, format: 0 | 1): Promise<Message[]> {
    this.#send('P', Buffer.from(`\0${sql}\0\0\0`));
    this.#send('B', Buffer.from([0, 0, 0, 0, 0, 0, 0, 1, 0, format]));
    this.#send('E', Buffer.from([0, 0, 0, 0, 0]));
    this.#send('S', Buffer.alloc(0));
    return (await this.#untilReady()).filter(({ type }) => type === 'D');
  }

  close(): void {
    this.#socket.destroy();
  }

  #send(type: string, payload: Buffer): void {
    const head = Buffer.alloc(5);
    head.write(type, 'latin1');
    head.writeInt32BE(payload.length + 4, 1);
    this.#socket.write(Buffer.concat([head, payload]));
  }

  async #untilReady(): Promise<Message[]> {
    const messages: Message[] = [];
    for (;;) {
      while (this.#received.length < 5 || this.#received.length < 1 + this.#received.readInt32BE(1))
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      const taken = messagesOf(this.#received);
      this.#received = this.#received.subarray(
        taken.reduce((sum, { payload }) => sum + 5 + payload.length, 0),
      );
      messages.push(...taken);
      const fault = messages.find(({ type }) => type === 'E');
      if (fault !== undefined) throw new Error(fault.payload.toString().replaceAll('\0', ' '));
      if (taken.at(-1)?.type === 'Z') return messages;
    }
  }
}

/** Whole messages at the beginning of some bytes. */
export function messagesOf(bytes: Buffer): Message[] {
  const messages: Message[] = [];
  for (let at = 0; at + 5 <= bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) break;
    messages.push({ type: bytes.toString('latin1', at, at + 1), payload: bytes.subarray(at + 5, end) });
    at = end;
  }
  return messages;
}

/** The values of a DataRow. */
export function fieldsOf(message: Message): (Buffer | null)[] {
  const fields: (Buffer | null)[] = [];
  for (let at = 2; at < message.payload.length; ) {
    const length = message.payload.readInt32BE(at);
    at += 4;
    fields.push(length < 0 ? null : message.payload.subarray(at, at + length));
    at += Math.max(0, length);
  }
  return fields;
}
