import type { Socket } from 'node:net';
import type { AccessGuard } from '../frames/access/access-guard.ts';
import type { Audit } from '../frames/access/audit.ts';
import { asFrameholdError, FrameholdError } from '../model/errors.ts';
import { randomId } from '../model/handle.ts';
import type { Authenticator } from '../ports/authenticator.ts';
import type { Observe } from '../ports/observation.ts';
import { peerOf } from '../sockets/peer.ts';
import type { Backends } from './access/backends.ts';
import { type FirstPacket, type Opened, readFirstPackets } from './access/first-packets.ts';
import { logIn } from './access/log-in.ts';
import type { TenantConnections } from './access/tenant-connections.ts';
import type { TlsUpgrade } from './access/tls-upgrade.ts';
import { errorReport } from './protocol/error-report.ts';
import type { MessageMemory } from './protocol/message-memory.ts';
import { MessageReader } from './protocol/message-reader.ts';
import { Outbox } from './protocol/outbox.ts';
import { authenticationOk, backendKey, negotiateVersion } from './protocol/server-messages.ts';
import { negotiate, version32 } from './protocol/startup.ts';
import type { Turns } from './protocol/turns.ts';
import { Portals } from './session/portals.ts';
import { PreparedTexts } from './session/prepared-texts.ts';
import { Session, type SessionTimes } from './session/session.ts';
import { SessionSettings } from './session/session-settings.ts';
import { type SessionState, tell } from './session/session-state.ts';
import { startupSettings } from './session/startup-settings.ts';
import type { Statements } from './session/statements.ts';
import { Transaction } from './session/transaction.ts';

export interface ConnectionTimes extends SessionTimes {
  readonly loginMs: number;
  /** How long rows may wait for the client that reads them in parts. */
  readonly portalMs: number;
  /** How long a client may take nothing of an answer. */
  readonly answerMs: number;
}

export interface ConnectionDependencies {
  readonly authenticator: Authenticator;
  readonly isTenant: (name: string) => boolean;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly observe: Observe;
  readonly statements: Statements;
  readonly backends: Backends;
  readonly statementId: (backend: number) => string;
  readonly tenants: TenantConnections;
  readonly memory: MessageMemory;
  readonly turns: Turns;
  /** null: no TLS. */
  readonly tls: TlsUpgrade | null;
  readonly times: ConnectionTimes;
  readonly allowPlaintext: boolean;
  readonly textBytesMax: number;
  readonly onEntered: (peer: string) => void;
  readonly onSession: (session: Session) => () => void;
}

/** How long a client may take to read why its connection ends. */
const closeDelayMs = 1_000;

/** Serves one connection to its end. Never rejects. */
export async function serveConnection(plain: Socket, dependencies: ConnectionDependencies): Promise<void> {
  const { tls, times, backends } = dependencies;
  const login = setTimeout(() => plain.destroy(), times.loginMs);
  let opened: Opened | null = null;
  let session: Session | null = null;
  try {
    const first = await readFirstPackets(plain, {
      tls,
      loginMs: times.loginMs,
      onEnd: () => session?.left(),
    });
    opened = first;
    if (first?.packet.kind === 'cancel') {
      const { id, key } = first.packet;
      await backends.cancel(id, key, plain.remoteAddress ?? 'unix');
    } else if (first !== null) {
      await serveClient(first, dependencies, (begun) => {
        clearTimeout(login);
        session = begun;
      });
    }
  } catch (thrown) {
    const error = asFrameholdError(thrown);
    const socket = opened?.socket ?? plain;
    if (error.kind !== 'cancelled') {
      const { kind, message, cause } = error;
      dependencies.observe({ event: 'request-failed', requestId: randomId(), kind, detail: message, cause });
      if (!socket.destroyed && !socket.writableEnded) socket.end(errorReport(error, 'FATAL', null, null));
    }
  } finally {
    clearTimeout(login);
    leave(opened?.socket ?? plain);
  }
}

async function serveClient(
  first: FirstPacket,
  dependencies: ConnectionDependencies,
  onBegun: (session: Session) => void,
): Promise<void> {
  const { socket, packet } = first;
  if (packet.kind !== 'startup') return;
  const { version, isNews } = negotiate(packet.version, packet.options);
  if (isNews) socket.write(negotiateVersion(version, packet.options));
  // A crowd that connects at once does not keep others waiting either.
  await dependencies.turns.next();
  const { user, database, given } = startupSettings(packet.parameters);
  const { authenticator, audit, isTenant, allowPlaintext, times, tenants } = dependencies;
  const loggedIn = await logIn(first, {
    authenticator,
    audit,
    isTenant,
    allowPlaintext,
    loginMs: times.loginMs,
    user,
  });
  if (loggedIn === null) return;
  const { caller, identify } = loggedIn;
  const leaveTenant = audit.attemptNow(caller, 'enter', null, () => tenants.enter(caller.tenant));
  const { backends, observe } = dependencies;
  let session: Session | null = null;
  const backend = {
    tenant: caller.tenant,
    cancel: () => session?.cancel(),
    terminate: () => session?.endNow(terminated()),
  };
  const { id, key } = backends.add(backend, version === version32);
  try {
    const peer = peerOf(socket);
    if (peer !== null) dependencies.onEntered(peer);
    const state = stateOf(dependencies, new Outbox(socket, () => times.answerMs), {
      settings: new SessionSettings(given, { session_authorization: user }),
      database,
      user,
      backendId: id,
    });
    state.outbox.add(authenticationOk);
    tell(state.outbox, state.settings.reported);
    state.outbox.add(backendKey(id, key));
    const reader = new MessageReader(first.inbox, dependencies);
    session = new Session({ state, reader, identify, times, remote: caller.remote, observe });
    onBegun(session);
    const ended = dependencies.onSession(session);
    try {
      await session.run();
    } finally {
      reader.handled();
      ended();
    }
  } finally {
    backends.remove(id);
    leaveTenant();
  }
}

function stateOf(
  { statements, backends, access, audit, times, turns, statementId, textBytesMax }: ConnectionDependencies,
  outbox: Outbox,
  own: Pick<SessionState, 'settings' | 'database' | 'user' | 'backendId'>,
): SessionState {
  return {
    ...own,
    outbox,
    statements,
    signals: backends,
    access,
    audit,
    turns,
    textBytesMax,
    transaction: new Transaction(),
    prepared: new PreparedTexts(),
    portals: new Portals(() => times.portalMs),
    statementId: statementId(own.backendId),
  };
}

function terminated(): FrameholdError {
  return new FrameholdError('draining', 'The connection was ended by pg_terminate_backend().', {
    hint: 'Another session of your tenant has asked for it.',
  });
}

/** The client reads the last message, and closes. */
function leave(socket: Socket): void {
  if (socket.destroyed) return;
  socket.end();
  socket.resume();
  const timer = setTimeout(() => socket.destroy(), closeDelayMs);
  socket.once('close', () => clearTimeout(timer));
}
