import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { timePasses } from '../../support/passing-time.ts';
import type { GrpcCase } from './grpc-cases.ts';
import { frameType } from './grpc-frames.ts';
import type { Outcome } from './wire-run.ts';
import { hangMs } from './wire-watch.ts';

/** A client that stops in the middle waits so long before it gives up. */
const leaveMs = 15;
const statusInternal = '13';
const statusUnknown = '2';
/** grpc-js says this of a client's own mistake, before the call is ours; gRPC's servers in other languages answer the same. */
const understood = /^Invalid grpc-timeout value /;

/** Keeps connections for calls; each is left after some, and a new one made, so that both ways of ending are met. */
export class GrpcConnections {
  readonly #address: string;
  readonly #sessions: (ClientHttp2Session | null)[];
  readonly #used = new Map<ClientHttp2Session, number>();

  constructor(address: string, count: number) {
    this.#address = address;
    this.#sessions = Array.from({ length: count }, () => null);
  }

  of(index: number): ClientHttp2Session {
    const at = index % this.#sessions.length;
    const known = this.#sessions[at];
    const used = known == null ? 0 : (this.#used.get(known) ?? 0);
    if (known != null && !known.destroyed && !known.closed && used < 150) {
      this.#used.set(known, used + 1);
      return known;
    }
    if (known != null) {
      this.#used.delete(known);
      known.close();
    }
    const made = connect(`http://${this.#address}`, { maxSessionMemory: 64 });
    // Its calls hear of it, too.
    made.on('error', () => {});
    this.#sessions[at] = made;
    this.#used.set(made, 1);
    return made;
  }

  close(): void {
    for (const session of this.#sessions) session?.destroy();
  }
}

/** Makes the call and looks at how it ends. */
export async function exchangeGrpc(session: ClientHttp2Session, sent: GrpcCase): Promise<Outcome> {
  let stream: ClientHttp2Stream;
  try {
    stream = session.request(sent.headers as Record<string, string>, { endStream: false });
  } catch (error) {
    // Node's client does not send everything.
    return { kinds: [`not sent: ${(error as NodeJS.ErrnoException).code}`], fault: null, shown: '' };
  }
  let answer: IncomingHttpHeaders = {};
  const closed = Promise.withResolvers<boolean>();
  stream.on('error', () => {});
  stream.on('response', (headers) => {
    answer = { ...answer, ...headers };
  });
  stream.on('trailers', (headers) => {
    answer = { ...answer, ...headers };
  });
  stream.on('close', () => closed.resolve(true));
  stream.resume();
  for (const piece of sent.pieces) if (!stream.destroyed && stream.writable) stream.write(piece);
  if (sent.ending === 'end') stream.end();
  else {
    if (sent.ending === 'leave') await timePasses(leaveMs, 'a client that leaves in the middle');
    stream.close(sent.resetCode);
  }
  // A watch goes on until it is left, and a reset ends a call by itself: what the server holds then is looked at after all cases.
  const isOver = sent.ending !== 'end' || String(sent.headers[':path']).endsWith('/Watch');
  const timer = setTimeout(() => closed.resolve(false), isOver ? leaveMs : hangMs);
  const ended = await closed.promise;
  clearTimeout(timer);
  if (!ended) stream.close(8);
  const status = answer['grpc-status'] as string | undefined;
  const message = decodeMessage(answer['grpc-message']);
  const kind =
    status !== undefined
      ? `grpc ${status}`
      : answer[':status'] === undefined
        ? `${sent.ending}, no answer`
        : `http ${answer[':status']}`;
  const isFault = (status === statusInternal || status === statusUnknown) && !understood.test(message);
  const late = !ended && !isOver;
  const fault = late ? `no end within ${hangMs} ms` : isFault ? `status ${status}: ${message}` : null;
  return { kinds: [kind], fault, late, shown: fault === null ? '' : shown(sent) };
}

/** A client that said goodbye and then talks nonsense is given so long; all others lose their connection at once. */
const closeTimeoutMs = 12_000;

/** Sends these bytes on a connection of their own. Whatever comes of it, the connection has to end when we end it. */
export async function exchangeFrames(port: number, bytes: Buffer): Promise<Outcome> {
  const socket = connectSocket({ port, host: '127.0.0.1', noDelay: true });
  const closed = Promise.withResolvers<boolean>();
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  socket.on('error', () => {});
  socket.on('close', () => closed.resolve(true));
  socket.write(bytes);
  const quiet = setTimeout(() => socket.end(), leaveMs);
  const timer = setTimeout(() => closed.resolve(false), closeTimeoutMs);
  const ended = await closed.promise;
  clearTimeout(quiet);
  clearTimeout(timer);
  socket.destroy();
  const fault = ended ? null : `still open ${closeTimeoutMs} ms after it was ended`;
  return {
    kinds: [`frames: ${answerKind(Buffer.concat(chunks))}`],
    fault,
    late: !ended,
    shown: fault === null ? '' : bytes.toString('hex').slice(0, 4_000),
  };
}

/** The error of the GOAWAY that came, if one did. */
function answerKind(bytes: Buffer): string {
  let kind = 'closed';
  for (let at = 0; at + 9 <= bytes.length; ) {
    const length = bytes.readUIntBE(at, 3);
    if (bytes[at + 3] === frameType.goaway && at + 17 <= bytes.length)
      kind = `goaway ${bytes.readUInt32BE(at + 13)}`;
    at += 9 + length;
  }
  return kind;
}

function decodeMessage(text: unknown): string {
  try {
    return decodeURIComponent(String(text ?? ''));
  } catch {
    return String(text);
  }
}

function shown({ headers, pieces, ending }: GrpcCase): string {
  const bytes = Buffer.concat(pieces).toString('hex').slice(0, 2_000);
  return `${JSON.stringify(headers).slice(0, 800)} ${bytes} ${ending}`;
}
