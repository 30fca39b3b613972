import { createServer, type Server } from 'node:net';
import type { AccessGuard } from '../frames/access/access-guard.ts';
import type { Audit } from '../frames/access/audit.ts';
import { FrameholdError } from '../model/errors.ts';
import type { Authenticator } from '../ports/authenticator.ts';
import type { Observe } from '../ports/observation.ts';
import type { Renderer } from '../ports/renderer.ts';
import type { Certificates } from '../sockets/certificates.ts';
import { listen } from '../sockets/listen.ts';
import { type ConnectionLimits, type LimitNames, OpenConnections } from '../sockets/open-connections.ts';
import { UnderWay } from '../sockets/under-way.ts';
import type { Sql } from '../sql/sql.ts';
import { BackendKeys } from './access/backend-keys.ts';
import { Backends } from './access/backends.ts';
import { TenantConnections } from './access/tenant-connections.ts';
import { TlsUpgrade } from './access/tls-upgrade.ts';
import { type ConnectionTimes, serveConnection } from './connection.ts';
import { MessageMemory } from './protocol/message-memory.ts';
import { Turns } from './protocol/turns.ts';
import type { Session } from './session/session.ts';
import { Statements } from './session/statements.ts';

export const postgresLimitNames = {
  maxConnections: 'postgres.connections_max',
  unauthenticatedMax: 'postgres.unauthenticated_max',
  perAddressMax: 'postgres.connections_per_address_max',
} as const satisfies LimitNames;

/** Members may be getters: settings change while the server runs. */
interface PostgresLimits {
  readonly tenantConnectionsMax: number;
  readonly messageBytesMax: number;
  readonly messageMemoryMax: number;
  /** Of statements. */
  readonly textBytesMax: number;
}

export interface PostgresListenerOptions {
  readonly address: { readonly host: string; readonly port: number } | { readonly path: string };
  readonly connections: ConnectionLimits;
  readonly limits: PostgresLimits;
  readonly times: ConnectionTimes;
  readonly allowPlaintext: boolean;
}

export interface PostgresDependencies {
  readonly sql: Sql;
  readonly renderer: Renderer;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly authenticator: Authenticator;
  /** Whether a name is that of a tenant. */
  readonly isTenant: (name: string) => boolean;
  /** Of this node, among those that share a catalog. */
  readonly nodeNumber: () => number;
  /** The same on all nodes. */
  readonly cancelSecret: () => Uint8Array;
  /** null: no TLS. */
  readonly certificates: Certificates | null;
  readonly observe: Observe;
}

export interface PostgresListener {
  /** `host:port` as bound, or `unix:/path`. */
  readonly address: string;
  /** 0 for a unix socket. */
  readonly port: number;
  readonly openConnections: number;
  /** Takes no more connections, ends those that are idle, lets statements finish for so long, then ends them. */
  close(graceMs: number): Promise<void>;
}

/** A statement that is asked to stop does so at its next step, and its error takes a moment to send. */
const stopMs = 2_000;
/** A client that is gone without a word is noticed within some minutes. */
const keepAliveMs = 60_000;

export async function startPostgresListener(
  { address, connections: limits, limits: sizes, times, allowPlaintext }: PostgresListenerOptions,
  dependencies: PostgresDependencies,
): Promise<PostgresListener> {
  const { observe, authenticator, sql, renderer, certificates } = dependencies;
  const sessions = new UnderWay<Session>();
  const keys = new BackendKeys(dependencies.cancelSecret);
  const refused = (setting: string, limit: number) =>
    observe({ event: 'connection-refused', listener: 'postgres', setting, limit });
  const connections = new OpenConnections(limits, postgresLimitNames, () => authenticator.isOpen, refused);
  const shared = {
    ...dependencies,
    statements: new Statements(sql, renderer),
    backends: new Backends({ keys, node: dependencies.nodeNumber, sql }),
    statementId: (id: number) => keys.statementId(id),
    tenants: new TenantConnections(() => sizes.tenantConnectionsMax, refused),
    memory: new MessageMemory(sizes),
    turns: new Turns(),
    tls: certificates === null ? null : new TlsUpgrade(certificates),
    times,
    textBytesMax: sizes.textBytesMax,
    allowPlaintext,
    onEntered: (peer: string) => connections.authenticated(peer),
    onSession: (session: Session) => {
      sessions.add(session);
      if (isStopping) session.endSoon(stopping());
      return () => sessions.ended(session);
    },
  };
  let isStopping = false;
  const server = createServer(
    { noDelay: true, keepAlive: true, keepAliveInitialDelay: keepAliveMs },
    (socket) => {
      socket.on('error', () => socket.destroy());
      connections.add(socket);
      if (!socket.destroyed) void serveConnection(socket, shared);
    },
  );
  await listen(server, address);
  return {
    ...addressOf(server),
    get openConnections() {
      return connections.size;
    },
    async close(graceMs) {
      isStopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const session of [...sessions]) session.endSoon(stopping());
      await sessions.idleWithin(graceMs);
      for (const session of [...sessions]) session.endNow(stopping());
      const timer = setTimeout(() => connections.destroy(), stopMs);
      await sessions.idleWithin(stopMs);
      // What has not logged in by now, and what does not read its last message.
      await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, closeMs).unref())]);
      connections.destroy();
      clearTimeout(timer);
      await closed;
    },
  };
}

/** Clients close their end as soon as they have read why. */
const closeMs = 500;

function stopping(): FrameholdError {
  return new FrameholdError('draining', 'The server is stopping.');
}

function addressOf(server: Server): { readonly address: string; readonly port: number } {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') return { address: `unix:${bound ?? ''}`, port: 0 };
  const host = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return { address: `${host}:${bound.port}`, port: bound.port };
}
