import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';
import { listen } from '../sockets/listen.ts';
import { Heartbeat } from './heartbeat.ts';
import type { Answer, ManagementStart, Question, ToMain } from './protocol.ts';
import { plainText } from './protocol.ts';

/** The management listener: a thread that answers probes also while the main thread is busy, and says so if that is stuck. */

/** Probes open few; anybody else shall not fill it. The oldest ones end by the times below. */
const connectionsMax = 256;
/** Of a request's head. Probes have no body. */
const requestMs = 5_000;
/** A probe that comes back later opens another connection. */
const keepAliveMs = 5_000;
/** Of a connection on which nothing happens: longer than any answer takes. */
const silenceMs = 10_000;
const lookEveryMs = 1_000;
/** Balancers and kubelets wait for two seconds, and the main thread answers within one and a half, whatever the catalog does. */
const readyWithinMs = 1_800;
/** What Prometheus waits for by default is ten seconds. */
const metricsWithinMs = 8_000;
/** Of questions that the main thread has not answered: those who ask again and again shall not pile them up. */
const openQuestionsMax = 1_000;

if (!parentPort) throw new Error('management-worker runs in a worker thread');
const port = parentPort;
const { address, beat, stuckMs } = workerData as ManagementStart;
const heartbeat = new Heartbeat(beat);
const open = new Map<number, (answer: Omit<Answer, 'id'>) => void>();
let asked = 0;

port.on('message', (answer: Answer) => {
  open.get(answer.id)?.(answer);
  open.delete(answer.id);
});

const tell = (message: ToMain) => port.postMessage(message);

function ask(question: Question, withinMs: number): Promise<Omit<Answer, 'id'>> {
  const id = ++asked;
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      open.delete(id);
      resolve(unavailable(`The main thread has not answered within ${withinMs} ms: it is busy or stuck.`));
    }, withinMs);
    open.set(id, (answer) => {
      clearTimeout(timer);
      resolve(answer);
    });
    tell({ kind: 'asked', id, question });
  });
}

async function answerTo(path: string): Promise<Omit<Answer, 'id'>> {
  const silentMs = heartbeat.silentMs;
  const isKnown = ['/ping', '/healthz', '/readyz', '/metrics'].includes(path);
  if (!isKnown) return plain(404, 'There are /ping, /healthz, /readyz and /metrics here.');
  if (silentMs > stuckMs)
    return unavailable(
      `The main thread has been stuck for ${Math.round(silentMs / 1_000)} s. If it stays so, restart the server.`,
    );
  if (path === '/ping' || path === '/healthz') return plain(200, 'ok');
  if (open.size >= openQuestionsMax) return unavailable('Too many questions wait for the main thread.');
  return path === '/readyz' ? await ask('ready', readyWithinMs) : await ask('metrics', metricsWithinMs);
}

function plain(status: number, text: string): Omit<Answer, 'id'> {
  return { status, contentType: plainText, text };
}

function unavailable(text: string): Omit<Answer, 'id'> {
  return plain(503, text);
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const path = (request.url ?? '').split('?', 1)[0] ?? '';
  const { status, contentType, text } = isRead
    ? await answerTo(path)
    : plain(405, 'Only GET and HEAD are answered here.');
  const headers = {
    'content-type': contentType,
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
  };
  response.writeHead(status, isRead ? headers : { ...headers, allow: 'GET, HEAD' });
  response.end(request.method === 'HEAD' ? undefined : text);
}

const server = createServer(
  { requestTimeout: requestMs, headersTimeout: requestMs, connectionsCheckingInterval: lookEveryMs },
  (request, response) => {
    // A body is not asked for, and not waited for.
    request.resume();
    void handle(request, response);
  },
);
server.timeout = silenceMs;
server.keepAliveTimeout = keepAliveMs;
server.maxConnections = connectionsMax;

try {
  await listen(server, address);
  tell({ kind: 'listening', address: boundAddress() });
} catch (thrown) {
  const { code, message } = thrown as NodeJS.ErrnoException;
  tell({ kind: 'failed', code, message });
}

function boundAddress(): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return `unix:${bound ?? ''}`;
  return `http://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`;
}
