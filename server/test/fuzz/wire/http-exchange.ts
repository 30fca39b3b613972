import { connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { HttpCase } from './http-cases.ts';
import { hangMs } from './wire-watch.ts';

/** How long to wait if nobody can say whether an answer must come. */
const unsureMs = 40;

export interface HttpExchange {
  readonly statuses: readonly number[];
  /** What should not have happened; null if all is well. */
  readonly fault: string | null;
  readonly late: boolean;
  readonly text: string;
}

/** Sends the bytes of a case on a connection of its own, and looks at what comes back until the connection has ended. */
export async function exchangeHttp(port: number, sent: HttpCase): Promise<HttpExchange> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const answers = new AnswerReader(sent.heads);
  const closed = Promise.withResolvers<void>();
  let progressed = Promise.withResolvers<void>();
  let isClosed = false;
  socket.on('data', (chunk) => {
    answers.push(chunk);
    progressed.resolve();
    progressed = Promise.withResolvers();
  });
  // A reset is a way to end a connection; what matters is that it ends.
  socket.on('error', () => {});
  socket.on('close', () => {
    isClosed = true;
    progressed.resolve();
    closed.resolve();
  });
  const done = (): boolean => isClosed || (sent.answers > 0 && answers.statuses.length >= sent.answers);
  try {
    const step = Math.ceil(sent.bytes.length / sent.pieces);
    for (let at = 0; at < sent.bytes.length && !isClosed; at += step) {
      socket.write(sent.bytes.subarray(at, at + step));
      if (sent.pieces > 1) await nextTurn();
    }
    const deadline = performance.now() + (sent.answers > 0 ? hangMs : unsureMs);
    while (!done() && performance.now() < deadline)
      await within(progressed.promise, deadline - performance.now());
    const missing =
      sent.answers > 0 && !done()
        ? `${answers.statuses.length} of ${sent.answers} answers within ${hangMs} ms`
        : null;
    if (sent.resets) socket.resetAndDestroy();
    else socket.end();
    const ended = isClosed || (await within(closed.promise, hangMs));
    const open = ended ? null : `still open ${hangMs} ms after it was ended`;
    const bad = answers.statuses.find((status) => status === 500 || status < 100 || status > 599);
    const fault = missing ?? open ?? answers.fault ?? (bad === undefined ? null : `status ${bad}`);
    const late = missing !== null || open !== null;
    return { statuses: answers.statuses, fault, late, text: answers.text };
  } finally {
    socket.destroy();
  }
}

async function within(promise: Promise<void>, timeMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), Math.max(0, timeMs));
  });
  const won = await Promise.race([promise.then(() => true as const), late]);
  clearTimeout(timer);
  return won;
}

/** Takes answers off a connection one after another, by their framing. Only as much is kept as the next one needs. */
class AnswerReader {
  readonly statuses: number[] = [];
  fault: string | null = null;
  /** The beginning of what came, to be shown. */
  text = '';
  readonly #heads: readonly boolean[];
  #rest = Buffer.alloc(0);

  constructor(heads: readonly boolean[]) {
    this.#heads = heads;
  }

  push(chunk: Buffer): void {
    if (this.text.length < 2_000) this.text += chunk.toString('latin1');
    if (this.fault !== null) return;
    this.#rest = Buffer.concat([this.#rest, chunk]);
    while (this.#takeOne());
  }

  #takeOne(): boolean {
    const end = this.#rest.indexOf('\r\n\r\n');
    if (end === -1) return false;
    const head = this.#rest.toString('latin1', 0, end);
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) {
      this.fault = `not an answer: ${JSON.stringify(head.slice(0, 100))}`;
      return false;
    }
    const bodyAt = end + 4;
    const bodyEnd = status === 100 ? bodyAt : this.#bodyEnd(head, status, bodyAt);
    if (bodyEnd === null || bodyEnd > this.#rest.length) return false;
    if (status !== 100) this.statuses.push(status);
    this.#rest = this.#rest.subarray(bodyEnd);
    return true;
  }

  /** Where the body ends; null if it is not whole. */
  #bodyEnd(head: string, status: number, bodyAt: number): number | null {
    if (status === 204 || status === 304 || this.#heads[this.statuses.length] === true) return bodyAt;
    if (/^transfer-encoding: *chunked/im.test(head)) return chunkedEnd(this.#rest, bodyAt);
    const length = /^content-length: *(\d+)/im.exec(head)?.[1];
    return length === undefined ? bodyAt : bodyAt + Number(length);
  }
}

function chunkedEnd(bytes: Buffer, from: number): number | null {
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    at = lineEnd + 2 + size + 2;
    if (size === 0 || at > bytes.length) return at > bytes.length ? null : at;
  }
}
