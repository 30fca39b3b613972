import { createServer, type ListenOptions, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:tls';
import type { AccessGuard } from '../frames/access/access-guard.ts';
import type { Frames } from '../frames/frames.ts';
import type { Notes } from '../frames/notes/notes.ts';
import type { Sharing } from '../frames/sharing/sharing.ts';
import type { Tags } from '../frames/tags/tags.ts';
import type { Authenticator } from '../ports/authenticator.ts';
import type { Nodes } from '../ports/nodes.ts';
import type { Observe } from '../ports/observation.ts';
import type { PreparedStatements } from '../ports/prepared-statements.ts';
import type { Renderer } from '../ports/renderer.ts';
import type { Certificates } from '../sockets/certificates.ts';
import { watchFirstBytes } from '../sockets/first-bytes.ts';
import { limitHandshakes } from '../sockets/handshake-deadline.ts';
import { listen } from '../sockets/listen.ts';
import { type ConnectionLimits, type LimitNames, OpenConnections } from '../sockets/open-connections.ts';
import type { Sql } from '../sql/sql.ts';
import { GrpcServer, type GrpcServerOptions } from './grpc/grpc-server.ts';
import { requestBytes } from './request-bytes.ts';
import { runCall } from './run-call.ts';
import { flightMethods } from './service.ts';
import { ServingState } from './serving-state.ts';
import { FlightSql, type FlightSqlOptions } from './sql/flight-sql.ts';
import { refuseHttp } from './wrong-protocol.ts';

export interface FlightListenerOptions {
  /** A name or address, `[::]` included, or `unix:/path` for a socket in the filesystem. */
  readonly host: string;
  /** 0 takes any free one. Not used for a unix socket. */
  readonly port: number;
  readonly connections: ConnectionLimits;
  /** What Flight endpoints say where to read; null means "where you asked". */
  readonly publicUrl: string | null;
  readonly limits?: Partial<GrpcServerOptions>;
  readonly sql?: Partial<FlightSqlOptions>;
}

const defaultLimits: GrpcServerOptions = {
  messageBytesMax: 512 * 1024 * 1024,
  messageMemoryMax: 1024 * 1024 * 1024,
  callIdleMs: 10 * 60_000,
  greetingMs: 10_000,
  connectionIdleMs: 15 * 60_000,
  keepaliveMs: 60_000,
  keepaliveTimeoutMs: 30_000,
};

export const flightLimitNames = {
  maxConnections: 'server.max_connections',
  unauthenticatedMax: 'server.unauthenticated_max',
  perAddressMax: 'server.connections_per_address_max',
} as const satisfies LimitNames;

const defaultSqlOptions: FlightSqlOptions = {
  serverVersion: '',
  hasAnalytics: false,
  statementBytesMax: 0,
};

/** A verb that is asked to stop does so at its next step, and an answer takes a moment to send; a verb that hangs must not keep the server. */
const stopMs = 2_000;

export interface FlightDependencies {
  readonly frames: Frames;
  readonly sharing: Sharing;
  readonly tags: Tags;
  readonly notes: Notes;
  readonly access: AccessGuard;
  readonly renderer: Renderer;
  readonly sql: Sql;
  readonly prepared: PreparedStatements;
  /** The nodes that share the catalog, to tell clients which of them has a frame warm; null: there is only this one. */
  readonly nodes: Nodes | null;
  readonly observe: Observe;
  readonly authenticator: Authenticator;
  /** Somebody asks whether the server can serve. */
  readonly onHealthAsked?: () => void;
  readonly isReady?: () => Promise<boolean>;
  /** null: no TLS. */
  readonly certificates: Certificates | null;
}

export interface FlightListener {
  /** `host:port` as bound, or `unix:/path`. */
  readonly address: string;
  /** 0 for a unix socket. */
  readonly port: number;
  readonly openConnections: number;
  /** Still takes calls, and says that it soon takes no more: to the health service's callers, and with GOAWAY on each connection that is used. */
  stopSoon(): void;
  /** Refuses new calls, lets running ones finish for so long, then ends them. */
  close(graceMs: number): Promise<void>;
}

export async function startFlightListener(
  options: FlightListenerOptions,
  dependencies: FlightDependencies,
): Promise<FlightListener> {
  const state = new ServingState(dependencies.onHealthAsked, dependencies.isReady);
  const sql = new FlightSql({
    sql: dependencies.sql,
    prepared: dependencies.prepared,
    frames: dependencies.frames,
    sharing: dependencies.sharing,
    access: dependencies.access,
    publicUrl: options.publicUrl,
    connectionsMax: options.connections.maxConnections,
    options: { ...defaultSqlOptions, ...options.sql },
  });
  const methods = flightMethods({
    ...dependencies,
    state,
    publicUrl: options.publicUrl,
    sql,
    requestBytes: requestBytes(options.sql?.statementBytesMax ?? defaultSqlOptions.statementBytesMax),
  });
  const { observe, authenticator, certificates } = dependencies;
  const connections = new OpenConnections(
    options.connections,
    flightLimitNames,
    () => authenticator.isOpen,
    (setting, limit) => observe({ event: 'connection-refused', listener: 'flight', setting, limit }),
  );
  const onEntered = (peer: string) => connections.authenticated(peer);
  const run = (method: (typeof methods)[number], call: Parameters<typeof runCall>[1]) =>
    runCall(method, call, { observe, authenticator, onEntered });
  const grpc = new GrpcServer(methods, run, { ...defaultLimits, ...options.limits });
  const server = createListener(certificates, (socket) => {
    // A reset before HTTP/2 has taken the socket over would otherwise end the process.
    socket.on('error', () => socket.destroy());
    grpc.accept(socket);
  });
  watchFirstBytes(server, {
    waitMs: options.limits?.greetingMs ?? defaultLimits.greetingMs,
    refuse: (first) => refuseHttp(first, certificates !== null),
  });
  server.on('connection', (socket) => {
    socket.on('error', () => socket.destroy());
    connections.add(socket);
  });
  if (certificates !== null) limitHandshakes(server as TlsServer);
  await listen(server, bindTarget(options));
  return {
    ...addressOf(server),
    get openConnections() {
      return connections.size;
    },
    stopSoon() {
      state.stop();
      grpc.stopSoon();
    },
    async close(graceMs) {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      state.stop();
      await grpc.drain(graceMs, stopMs);
      // The last answers are still on their way; each connection closes itself once they are out.
      const timer = setTimeout(() => {
        connections.destroy();
      }, stopMs);
      await closed;
      clearTimeout(timer);
    },
  };
}

function createListener(certificates: Certificates | null, accept: (socket: Socket) => void): Server {
  if (certificates === null) return createServer({ noDelay: true }, accept);
  const options = { ...certificates.options, noDelay: true, ALPNProtocols: ['h2'] };
  const server = createTlsServer(options, accept);
  certificates.follow(server);
  return server;
}

function bindTarget({ host, port }: FlightListenerOptions): ListenOptions {
  if (host.startsWith('unix:')) return { path: host.slice('unix:'.length) };
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port };
}

function addressOf(server: Server): { readonly address: string; readonly port: number } {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return { address: `unix:${bound ?? ''}`, port: 0 };
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return { address: `${host}:${bound.port}`, port: bound.port };
}
