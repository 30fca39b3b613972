import { randomUUID } from 'node:crypto';
import type { ServerOptions as HttpOptions, IncomingMessage, Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Server as TlsServer } from 'node:tls';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import fastify from 'fastify';
import { RequestTime } from '../base/request-time.ts';
import { callerLine } from '../model/caller.ts';
import { FrameholdError } from '../model/errors.ts';
import { isPlainHttp, watchFirstBytes } from '../sockets/first-bytes.ts';
import { handshakeMs, limitHandshakes } from '../sockets/handshake-deadline.ts';
import { listen } from '../sockets/listen.ts';
import { type LimitNames, OpenConnections } from '../sockets/open-connections.ts';
import { peerOf } from '../sockets/peer.ts';
import { hasOpenLink } from './console/linked-page.ts';
import type { HttpContext } from './context.ts';
import { DescribedRoutes } from './described-routes.ts';
import { authenticationHook } from './hooks/authentication-hook.ts';
import { addBrowserHook } from './hooks/browser-hook.ts';
import { headersMax, malformedRequest } from './hooks/malformed-request.ts';
import { isPlainPath } from './hooks/plain-path.ts';
import { OfferedPaths, parameterLengthMax } from './offered-paths.ts';
import { OpenRequests } from './open-requests.ts';
import { callerOf } from './request/caller.ts';
import { answerConnect, answerError, answerUnparsable, plainHttpRefusal } from './response/answer-error.ts';
import { beginAnswer, noteTime } from './response/answer-time.ts';
import { closeIfStalled } from './response/stalled-answer.ts';
import { noteTraits, traitsOf } from './route-traits.ts';
import { analysisRoutes } from './routes/analysis.ts';
import { consoleRoutes } from './routes/console.ts';
import { eventsRoute } from './routes/events.ts';
import { execRoute } from './routes/exec.ts';
import { filesRoute } from './routes/files.ts';
import { framesRoutes } from './routes/frames.ts';
import { functionsRoutes } from './routes/functions.ts';
import { historyRoutes } from './routes/history.ts';
import { mcpRoute } from './routes/mcp.ts';
import { notesRoutes } from './routes/notes.ts';
import { operationsRoutes } from './routes/operations.ts';
import { queriesRoutes } from './routes/queries.ts';
import { exportRoute } from './routes/rows.ts';
import { savedQueriesRoutes } from './routes/saved-queries.ts';
import { sharingRoutes } from './routes/sharing.ts';
import { sqlRoutes } from './routes/statements/sql.ts';
import { statusRoutes } from './routes/status.ts';
import { tagsRoutes } from './routes/tags.ts';
import { tenantsRoutes } from './routes/tenants.ts';

/** How often Node looks for requests whose headers take too long: often enough that the limit is met within a tenth. */
const looksPerTimeout = 10;

export interface HttpListener {
  readonly address: AddressInfo | string;
  readonly openConnections: number;
  /** Still takes requests, and ends each connection with its next answer. */
  stopSoon(): void;
  /** Refuses requests, lets running ones end for so long, then cuts them: callers without an answer are told why. Probes are answered until `close`: a balancer must not take this server for dead. */
  drain(drainMs: number): Promise<void>;
  close(): Promise<void>;
}

export const httpLimitNames = {
  maxConnections: 'http.connections_max',
  unauthenticatedMax: 'http.unauthenticated_max',
  perAddressMax: 'http.connections_per_address_max',
} as const satisfies LimitNames;

/** The last answers are on their way, and each connection ends with its own. */
const closeMs = 2_000;

export type ListenTarget = { readonly host: string; readonly port: number } | { readonly path: string };

export async function startHttpListener(context: HttpContext, target: ListenTarget): Promise<HttpListener> {
  const requests = new OpenRequests();
  const { app, connections, endSilent } = await createApp(context, requests);
  const { server } = app;
  context.certificates?.follow(server as unknown as TlsServer);
  await listen(server, target);
  return {
    address: server.address() ?? '',
    get openConnections() {
      return connections.size;
    },
    stopSoon: () => requests.leave(),
    drain: async (drainMs) => {
      // They never end by themselves: the others get the time.
      context.events.stop();
      if ((await requests.drain(drainMs)) > 0) server.closeAllConnections();
    },
    close: async () => {
      endSilent();
      context.events.stop();
      await closeConnections(server, connections);
      await app.close();
    },
  };
}

interface CreatedApp {
  readonly app: FastifyInstance;
  readonly connections: OpenConnections;
  /** Ends connections on which nothing has come yet. */
  readonly endSilent: () => void;
}

/** The application without a socket. */
async function createApp(context: HttpContext, requests: OpenRequests): Promise<CreatedApp> {
  const { limits, subPath } = context;
  const app = fastify({
    // Parameters are read by `queryOf`, once and with their text as it came.
    routerOptions: { maxParamLength: parameterLengthMax, querystringParser: () => ({}) },
    ...serverOptions(context),
    // A large upload may take any time: only the pause between its bytes is limited.
    requestTimeout: 0,
    keepAliveTimeout: limits.keepAliveMs,
    genReqId: (request) => ownRequestId(request) ?? newRequestId(),
    clientErrorHandler: (error, socket) => answerUnparsable(error, socket, newRequestId()),
    exposeHeadRoutes: true,
    logger: false,
    trustProxy: context.trustProxy,
    rewriteUrl: ({ url = '' }) => subPath.removedFrom(url),
    frameworkErrors: (error, request, reply) => void answerError(context.observe, error, request, reply),
  });
  // Before any other listener for connections is added.
  const endSilent = context.certificates === null ? () => {} : beforeTls(app.server);
  // One more than is allowed, so that an excess is noticed.
  app.server.maxHeadersCount = headersMax + 1;
  const connections = new OpenConnections(
    context.connections,
    httpLimitNames,
    () => context.authenticator.isOpen,
    (setting, limit) => context.observe({ event: 'connection-refused', listener: 'http', setting, limit }),
  );
  app.server.on('connection', (socket) => connections.add(socket));
  // The body is requested only after credentials, conditions and size were checked.
  app.server.on('checkContinue', (request, response) => app.routing(request, response));
  // Refused by `malformedRequest`, with a body. Without a listener Node answers without one, and to CONNECT not at all.
  app.server.on('checkExpectation', (request, response) => app.routing(request, response));
  app.server.on('connect', (_request, socket) => answerConnect(socket, newRequestId()));

  const offeredPaths = new OfferedPaths();
  app.decorate('offeredPaths', offeredPaths);
  app.setValidatorCompiler(() => () => true);
  app.setSerializerCompiler(() => JSON.stringify);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
  app.addHook('onRequest', (request, reply, done) => {
    const time = new RequestTime();
    const bytesBefore = request.raw.socket.bytesWritten;
    noteTime(request, time);
    noteTraits(request);
    reply.header('x-request-id', request.id);
    // Not Fastify's onResponse, which never comes if the socket closes in the middle of an answer.
    reply.raw.once('close', () => observeRequest(context, request, reply, time, bytesBefore));
    closeIfStalled(request.raw.socket, reply.raw, limits.answerIdleMs);
    const refusal = () =>
      malformedRequest(request, limits) ?? (isPlainPath(request) ? undefined : routeNotFound(request));
    time.run(() => done(requests.add(request, reply) ?? refusal()));
  });
  addBrowserHook(app, context.browsers, context.observe, (request) =>
    hasOpenLink(context.authenticator, request),
  );
  app.addHook(
    'onRequest',
    authenticationHook(context.authenticator, (socket) => {
      const peer = peerOf(socket);
      if (peer !== null) connections.authenticated(peer);
    }),
  );
  // Before anything is said about the body, which Fastify looks at for some methods.
  app.addHook('onRequest', (request, reply, done) => done(offeredPaths.find(request)?.refuse(reply)));
  app.addHook('onSend', (_request, reply, payload, done) => {
    beginAnswer(reply);
    done(null, payload);
  });
  app.setErrorHandler((error, request, reply) => answerError(context.observe, error, request, reply));
  app.setNotFoundHandler((request, reply) =>
    answerError(context.observe, routeNotFound(request), request, reply),
  );

  const described = new DescribedRoutes(app, context.publicUrl);
  await app.register(async (routes) => {
    operationsRoutes(routes, context, described);
    execRoute(routes, context);
    exportRoute(routes, context);
    framesRoutes(routes, context);
    filesRoute(routes, context);
    analysisRoutes(routes, context);
    sharingRoutes(routes, context);
    tagsRoutes(routes, context);
    notesRoutes(routes, context);
    sqlRoutes(routes, context);
    queriesRoutes(routes, context);
    tenantsRoutes(routes, context);
    functionsRoutes(routes, context);
    savedQueriesRoutes(routes, context);
    historyRoutes(routes, context);
    statusRoutes(routes, context);
    consoleRoutes(routes, context);
    eventsRoute(routes, context);
    mcpRoute(routes, context);
  });
  await app.ready();
  return { app, connections, endSilent };
}

/** A caller who writes plain HTTP to this port would otherwise only see that the connection is closed. */
function beforeTls(server: Server): () => void {
  const endSilent = watchFirstBytes(server, {
    waitMs: handshakeMs,
    refuse: (first) => (isPlainHttp(first) ? plainHttpRefusal(newRequestId()) : null),
  });
  limitHandshakes(server as unknown as TlsServer);
  return endSilent;
}

/** Fastify makes an HTTPS server if it is given options for one; its types want to know which at compile time. */
function serverOptions({ certificates, limits }: HttpContext): { readonly http: HttpOptions } {
  const own: HttpOptions = {
    maxHeaderSize: limits.headerBytesMax,
    // `malformedRequest` looks at it, so that the refusal has a body.
    requireHostHeader: false,
    headersTimeout: limits.bodyIdleMs,
    // Also here: Node compares the two before Fastify has set it.
    requestTimeout: 0,
    connectionsCheckingInterval: Math.ceil(limits.bodyIdleMs / looksPerTimeout),
  };
  if (certificates === null) return { http: own };
  return { https: { ...certificates.options, ...own } } as unknown as { http: HttpOptions };
}

/** A caller's own id is kept if it cannot harm a log line. */
function ownRequestId(request: IncomingMessage): string | null {
  const given = request.headers['x-request-id'];
  return typeof given === 'string' && /^[A-Za-z0-9_.-]{1,64}$/.test(given) ? given : null;
}

/** Random, not counted: a number would show each tenant how many requests the others send. Node makes many at a time, so one is nearly free. */
function newRequestId(): string {
  return randomUUID();
}

function routeNotFound(request: FastifyRequest): FrameholdError {
  return new FrameholdError(
    'route_not_found',
    `There is nothing at ${request.url.split('?')[0]?.slice(0, 200)}.`,
    {
      hint: 'GET /v1/openapi.json lists all routes.',
    },
  );
}

/** `bytesBefore`: a connection counts its bytes over all of its requests. */
function observeRequest(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  time: RequestTime,
  bytesBefore: number,
): void {
  const { label, isProbe } = traitsOf(request);
  const url = request.url;
  const mark = url.indexOf('?');
  context.observe({
    event: 'http-request',
    requestId: request.id,
    method: request.method,
    route: label,
    isProbe,
    path: mark === -1 ? url : url.slice(0, mark),
    status: reply.raw.statusCode,
    bytes: Math.max(0, (request.raw.socket?.bytesWritten ?? 0) - bytesBefore),
    durationMs: time.durationMs,
    ...time.line,
    ...callerLine(callerOf(request)),
    remote: request.ip ?? '',
    broken: !reply.raw.writableFinished,
  });
}

async function closeConnections(server: Server, connections: OpenConnections): Promise<void> {
  const closed = new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
  server.closeIdleConnections();
  const idle = setInterval(() => server.closeIdleConnections(), 100);
  // Also those in the middle of a TLS handshake, of which the server of HTTP does not know.
  const deadline = setTimeout(() => connections.destroy(), closeMs);
  await closed;
  clearInterval(idle);
  clearTimeout(deadline);
}
