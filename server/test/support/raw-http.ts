import { connect, type Socket } from 'node:net';
import { patienceMs } from './patience.ts';

export interface RawAnswer {
  readonly status: number;
  readonly statusLine: string;
  /** Lower-case names; a header that came twice is joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body with its chunking taken off, as far as it came. */
  readonly body: Buffer;
  /** Whether the framing says that the body is whole. */
  readonly complete: boolean;
  /** How the connection ended, if it did before the time was over. */
  readonly ended: 'open' | 'closed' | 'reset';
}

export interface RawOptions {
  readonly timeoutMs?: number;
  /** Called with the socket once it is connected, for tests that go away. */
  readonly onSocket?: (socket: Socket) => void;
}

/** Sends exactly these bytes and reads until one whole answer came, the connection ended, or the time is over. */
export async function rawHttp(
  baseUrl: string,
  request: string | Buffer,
  options: RawOptions = {},
): Promise<RawAnswer> {
  const { hostname, port } = new URL(baseUrl);
  const head = typeof request === 'string' && /^HEAD /.test(request);
  const socket = connect(Number(port), hostname);
  const chunks: Buffer[] = [];
  const ended = await new Promise<RawAnswer['ended']>((resolve) => {
    const timer = setTimeout(() => resolve('open'), options.timeoutMs ?? patienceMs);
    const finish = (how: RawAnswer['ended']) => {
      clearTimeout(timer);
      resolve(how);
    };
    socket.on('connect', () => {
      options.onSocket?.(socket);
      socket.write(request);
    });
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (isWhole(Buffer.concat(chunks), head)) finish('open');
    });
    socket.on('error', () => finish('reset'));
    socket.on('close', () => finish('closed'));
  });
  socket.destroy();
  return parseAnswer(Buffer.concat(chunks), ended, head);
}

/** A plain GET on a connection of its own. `target` goes out as it is given. */
export async function rawGet(
  baseUrl: string,
  target: string,
  headers: Readonly<Record<string, string>> = {},
  options: RawOptions & { readonly method?: string } = {},
): Promise<RawAnswer> {
  const lines = Object.entries({ host: new URL(baseUrl).host, connection: 'close', ...headers });
  const text = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return await rawHttp(baseUrl, `${options.method ?? 'GET'} ${target} HTTP/1.1\r\n${text}\r\n`, options);
}

function isWhole(bytes: Buffer, head: boolean): boolean {
  if (bytes.indexOf('\r\n\r\n') === -1) return false;
  const answer = parseAnswer(bytes, 'open', head);
  return answer.status >= 200 && answer.complete;
}

function parseAnswer(bytes: Buffer, ended: RawAnswer['ended'], head: boolean): RawAnswer {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) {
    return {
      status: 0,
      statusLine: bytes.toString('latin1'),
      headers: {},
      body: Buffer.alloc(0),
      complete: false,
      ended,
    };
  }
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const status = Number(statusLine.split(' ')[1]);
  const rest = bytes.subarray(end + 4);
  if (status === 100) return parseAnswer(rest, ended, head);
  return { status, statusLine, headers, ...framedBody(rest, headers, status, ended, head), ended };
}

function framedBody(
  rest: Buffer,
  headers: Readonly<Record<string, string>>,
  status: number,
  ended: RawAnswer['ended'],
  head: boolean,
): { body: Buffer; complete: boolean } {
  if (head || status === 204 || status === 304) return { body: rest, complete: true };
  if (headers['transfer-encoding']?.includes('chunked')) return unchunk(rest);
  const length = headers['content-length'];
  if (length !== undefined)
    return { body: rest.subarray(0, Number(length)), complete: rest.length >= Number(length) };
  return { body: rest, complete: ended === 'closed' };
}

function unchunk(rest: Buffer): { body: Buffer; complete: boolean } {
  const parts: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = rest.indexOf('\r\n', at);
    if (lineEnd === -1) return { body: Buffer.concat(parts), complete: false };
    const size = Number.parseInt(rest.toString('latin1', at, lineEnd), 16);
    if (size === 0) return { body: Buffer.concat(parts), complete: true };
    const start = lineEnd + 2;
    parts.push(rest.subarray(start, start + size));
    at = start + size + 2;
    if (at > rest.length) return { body: Buffer.concat(parts), complete: false };
  }
}
