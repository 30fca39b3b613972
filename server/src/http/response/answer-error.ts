import type { Socket } from 'node:net';
import { type Duplex, Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { asFrameholdError, errorKinds, FrameholdError } from '../../model/errors.ts';
import type { Observe } from '../../ports/observation.ts';
import { traitsOf, unrouted } from '../route-traits.ts';
import { execProblem, isExecPath } from './exec-problem.ts';
import { pageType } from './page-type.ts';
import { type ProblemForm, problemBody, usualProblem } from './problem.ts';
import { securityHeaders } from './security-headers.ts';

/** The one place where a thrown error becomes an answer. */
export async function answerError(
  observe: Observe,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const error = fromFastify(thrown) ?? asFrameholdError(thrown);
  observe({
    event: 'request-failed',
    requestId: request.id,
    kind: error.kind,
    detail: error.message,
    cause: error.cause,
  });
  if (reply.raw.headersSent || reply.raw.destroyed) {
    reply.raw.destroy();
    return;
  }
  const form = problemForm(request);
  // An unread body would hold the connection: it ends soon after the answer.
  const isComing = bodyIsComing(request);
  if (isComing) reply.header('connection', 'close');
  // Not Basic: a browser would ask its user, and then send the password with requests of any page.
  if (error.kind === 'unauthenticated') reply.header('www-authenticate', 'Bearer realm="framehold"');
  const shape = errorKinds[error.kind];
  const retryAfter = error.retryAfterSeconds ?? shape.retryAfterSeconds;
  if (retryAfter !== undefined) reply.header('retry-after', retryAfter);
  const page = traitsOf(request).refusalPage(error, request);
  if (page !== null) reply.removeHeader('x-frame-options');
  // As bytes: of a text Fastify would add a charset to the content type, which this one does not have.
  const bytes = page?.bytes ?? Buffer.from(problemBody(error, request.id, form.members(request)));
  await reply
    .code(shape.status)
    // What Fastify itself refuses never reaches the hooks that set these for all others.
    .headers(page?.headers ?? securityHeaders)
    .header('x-request-id', request.id)
    .header('content-type', page === null ? form.contentType : pageType)
    .header('cache-control', 'no-store')
    .header('content-length', bytes.byteLength)
    .send(isComing ? Readable.from(lingering(bytes, request.raw), { objectMode: false }) : bytes);
}

function problemForm(request: FastifyRequest): ProblemForm {
  const traits = traitsOf(request);
  return traits === unrouted && isExecPath(request.url) ? execProblem : traits.problem;
}

/** How long the rest of a refused body is read and discarded: a caller with a slow connection may need some seconds for what is in transit. */
const lingerMs = 5_000;

/**
 * The answer is complete, and the connection ends when the body has ended, too. Closing it at once would reset it, and a
 * caller who is still sending would see the reset instead of the answer.
 */
async function* lingering(
  bytes: Uint8Array,
  body: FastifyRequest['raw'],
): AsyncGenerator<Uint8Array, void, void> {
  yield bytes;
  const ended = Promise.withResolvers<void>();
  const timer = setTimeout(ended.resolve, lingerMs);
  body.once('end', ended.resolve);
  body.once('close', ended.resolve);
  body.on('data', () => {});
  // Its previous reader may have left it paused.
  body.resume();
  await ended.promise;
  clearTimeout(timer);
}

function bodyIsComing({ raw, headers }: FastifyRequest): boolean {
  const announced = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return announced && !raw.complete;
}

/** Fastify's own refusals, in our words. */
function fromFastify(thrown: unknown): FrameholdError | null {
  const { code, statusCode, message } = (thrown ?? {}) as {
    code?: string;
    statusCode?: number;
    message?: string;
  };
  if (typeof code !== 'string' || !code.startsWith('FST_')) return null;
  if (statusCode === 404) return new FrameholdError('route_not_found', String(message));
  if (statusCode === 414) return new FrameholdError('url_too_long', 'A part of the path is too long.');
  if (statusCode === 415) return new FrameholdError('unsupported_media_type', String(message));
  // Not its own words, which contain the whole URL, with the secret of a link if there is one.
  if (code === 'FST_ERR_BAD_URL')
    return new FrameholdError('bad_request', 'The path is not valid: its percent-escapes are not UTF-8.', {
      hint: 'Write a percent sign itself as %25.',
    });
  // Any other fault of the caller is still not a fault of the server.
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return new FrameholdError('bad_request', `The request cannot be read: ${message?.slice(0, 200)}.`, {
      hint: 'GET /v1/openapi.json describes every request.',
    });
  return null;
}

const offeredMethods = ['GET', 'HEAD', 'PUT', 'POST', 'PATCH', 'DELETE'];

const securityLines = Object.entries(securityHeaders)
  .map(([name, value]) => `${name}: ${value}\r\n`)
  .join('');

/** What Node's parser refused never became a request: the answer is written by hand. */
export function answerUnparsable(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  writeProblem(socket, unparsable(error), requestId);
}

/** No proxy: there is no resource that could take it. */
export function answerConnect(socket: Duplex, requestId: string): void {
  const problem = new FrameholdError(
    'method_not_allowed',
    'CONNECT is not supported: this server is not a proxy.',
    { hint: 'Send the request itself, without a proxy.' },
  );
  writeProblem(socket, problem, requestId, `Allow: ${offeredMethods.join(', ')}\r\n`);
}

/** For a port that speaks TLS. */
export function plainHttpRefusal(requestId: string): string {
  const problem = new FrameholdError(
    'bad_request',
    'This port speaks HTTPS, and the request came as plain HTTP.',
    {
      hint: 'Use a URL that begins with https://.',
    },
  );
  return problemAnswer(problem, requestId);
}

function writeProblem(socket: Duplex, problem: FrameholdError, requestId: string, more = ''): void {
  socket.on('error', () => socket.destroy());
  socket.end(problemAnswer(problem, requestId, more));
}

function problemAnswer(problem: FrameholdError, requestId: string, more = ''): string {
  const shape = errorKinds[problem.kind];
  const body = problemBody(problem, requestId);
  return `HTTP/1.1 ${shape.status} ${shape.title}\r\nContent-Type: ${usualProblem.contentType}\r\n${more}${securityLines}X-Request-Id: ${requestId}\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
}

function unparsable(error: Error & { code?: string }): FrameholdError {
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    return new FrameholdError(
      'headers_too_large',
      'URL and headers together are larger than this server accepts.',
      { hint: 'Make them smaller, or raise http.header_bytes_max.' },
    );
  }
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return new FrameholdError('request_timeout', 'The request took too long to arrive.');
  if (error.code === 'HPE_INVALID_EOF_STATE') {
    return new FrameholdError('bad_body', 'The request ended before its body was complete.', {
      hint: 'Send as many bytes as Content-Length says.',
    });
  }
  if (error.code === 'HPE_INVALID_METHOD')
    return new FrameholdError('bad_request', 'The request does not begin with an HTTP method.', {
      hint: `Use ${offeredMethods.join(', ')}.`,
    });
  if (error.code === 'HPE_PAUSED_H2_UPGRADE')
    return new FrameholdError('bad_request', 'This port speaks HTTP/1.1, not HTTP/2.', {
      hint: 'Arrow Flight (gRPC) uses another port. For HTTP/2, put a proxy in front of the server.',
    });
  return new FrameholdError(
    'bad_request',
    `This is not a valid HTTP request: ${error.message.slice(0, 200)}.`,
    { hint: 'Check the address, and any proxy between you and the server.' },
  );
}
