import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A message of the server as tests compare it: its letter, and what matters of it. */
interface Received {
  readonly letter: string;
  readonly body: Buffer;
}

/** Speaks the protocol in bytes, so that a test decides what is sent when. */
export class RawClient implements Disposable {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);
  #waiting: (() => void) | null = null;
  hasEnded = false;

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1');
    this.socket.on('data', (chunk: Buffer) => {
      this.#bytes = Buffer.concat([this.#bytes, chunk]);
      this.#waiting?.();
    });
    const end = () => {
      this.hasEnded = true;
      this.#waiting?.();
    };
    this.socket.on('close', end).on('end', end).on('error', end);
  }

  [Symbol.dispose](): void {
    this.socket.destroy();
  }

  /** Resolves when it is connected. */
  async opened(): Promise<void> {
    if (this.socket.connecting) await once(this.socket, 'connect');
  }

  send(...parts: readonly Uint8Array[]): void {
    this.socket.write(Buffer.concat(parts));
  }

  /** The next byte alone: what SSLRequest is answered with. */
  async byte(): Promise<string> {
    await this.#until(1);
    return this.#take(1).toString('latin1');
  }

  /** null at the end of the connection. */
  async next(): Promise<Received | null> {
    if (!(await this.#until(5))) return null;
    const length = this.#bytes.readInt32BE(1);
    if (!(await this.#until(length + 1))) return null;
    const message = this.#take(length + 1);
    return { letter: message.toString('latin1', 0, 1), body: message.subarray(5) };
  }

  /** Up to the so many-th ReadyForQuery, or the end, as one line. */
  async answers(ready = 1): Promise<string> {
    const seen: string[] = [];
    for (let left = ready; left > 0; ) {
      const message = await this.next();
      if (message === null) return [...seen, 'end'].join(' ');
      seen.push(shown(message));
      if (message.letter === 'Z') left -= 1;
    }
    return seen.join(' ');
  }

  async #until(bytes: number): Promise<boolean> {
    while (this.#bytes.length < bytes) {
      if (this.hasEnded) return false;
      await new Promise<void>((resolve) => {
        this.#waiting = resolve;
      });
    }
    return true;
  }

  #take(bytes: number): Buffer {
    const taken = this.#bytes.subarray(0, bytes);
    this.#bytes = this.#bytes.subarray(bytes);
    return taken;
  }
}

function shown({ letter, body }: Received): string {
  if (letter === 'Z') return `Z${body.toString()}`;
  if (letter === 'C') return `C:${textOf(body)}`;
  if (letter === 'E' || letter === 'N') return `${letter}:${fieldsOf(body).get('C')}`;
  if (letter === 'D') return `D:${valuesOf(body).join('|')}`;
  return letter;
}

export function fieldsOf(body: Buffer): ReadonlyMap<string, string> {
  const parts = body.toString().split('\0').filter(Boolean);
  return new Map(parts.map((part) => [part.slice(0, 1), part.slice(1)]));
}

function valuesOf(body: Buffer): string[] {
  const values: string[] = [];
  for (let at = 2; at < body.length; ) {
    const length = body.readInt32BE(at);
    values.push(length === -1 ? 'null' : body.toString('utf8', at + 4, at + 4 + length));
    at += 4 + Math.max(0, length);
  }
  return values;
}

function textOf(body: Buffer): string {
  return body.toString('utf8', 0, body.indexOf(0));
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** A first packet, without a letter. */
export function packet(code: number, body: Uint8Array = Buffer.alloc(0)): Buffer {
  return Buffer.concat([int32(body.length + 8), int32(code), body]);
}

export function startup(
  version = 196_608,
  parameters: Readonly<Record<string, string>> = { user: 'test' },
): Buffer {
  const words = Object.entries(parameters).flat();
  return packet(version, Buffer.from(`${words.join('\0')}\0\0`));
}

export function frame(letter: string, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => (typeof part === 'string' ? Buffer.from(`${part}\0`) : part)),
  );
  return Buffer.concat([Buffer.from(letter), int32(body.length + 4), body]);
}

export const query = (text: string): Buffer => frame('Q', text);
export const parse = (text: string, name = ''): Buffer => frame('P', name, text, int16(0));
export const bind = (portal = '', statement = ''): Buffer =>
  frame('B', portal, statement, int16(0), int16(0), int16(0));
export const describe = (kind: 'S' | 'P', name = ''): Buffer => frame('D', Buffer.from(kind), name);
export const execute = (portal = '', rowsMax = 0): Buffer => frame('E', portal, int32(rowsMax));
export const sync: Buffer = frame('S');
export const flush: Buffer = frame('H');
