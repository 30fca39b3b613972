import assert from 'node:assert/strict';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket, type Socket } from 'node:net';
import { test } from 'node:test';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Authenticator } from '../../src/ports/authenticator.ts';
import { openAuthenticator } from '../frames/open-authenticator.ts';
import { eventually } from '../support/patience.ts';
import { Harness, manyConnections } from './harness.ts';

/** Wants a credential, whatever it says. */
const closedAuthenticator: Authenticator = {
  ...openAuthenticator,
  isOpen: false,
  authenticate: (credentials, visit) => {
    if (credentials.authorization === undefined) throw new FrameholdError('unauthenticated', 'none');
    return openAuthenticator.authenticate(credentials, visit);
  },
};
const withoutSql = undefined;

function start(
  limits: Partial<typeof manyConnections>,
  authenticator = closedAuthenticator,
): Promise<Harness> {
  return Harness.start({ connections: { ...manyConnections, ...limits } }, withoutSql, authenticator);
}

function idle({ listener }: Harness, count: number): Socket[] {
  return Array.from({ length: count }, () => {
    const socket = connectSocket(listener.port, '127.0.0.1');
    socket.on('error', () => {});
    socket.resume();
    return socket;
  });
}

const openOf = (sockets: readonly Socket[]) => sockets.filter((each) => each.readyState === 'open').length;

function session({ listener }: Harness): ClientHttp2Session {
  const opened = connect(`http://${listener.address}`);
  opened.on('error', () => {});
  return opened;
}

/** The gRPC status of ListActions; null if the connection was closed instead. */
function call(
  on: ClientHttp2Session,
  headers: Readonly<Record<string, string>> = {},
): Promise<string | null> {
  const stream = on.request({
    ':method': 'POST',
    ':path': '/arrow.flight.protocol.FlightService/ListActions',
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  return new Promise((resolve) => {
    stream.on('response', (given) => given['grpc-status'] && resolve(String(given['grpc-status'])));
    stream.on('trailers', (given) => resolve(String(given['grpc-status'])));
    stream.on('error', () => {});
    stream.on('close', () => resolve(null));
    stream.resume();
    // An empty message.
    stream.end(Buffer.alloc(5));
  });
}
const credential = { authorization: 'Bearer some' };
const [ok, unauthenticated] = ['0', '16'];

test('idle connections without a credential keep nobody out, and end the oldest first', async () => {
  await using harness = await start({ maxConnections: 10, unauthenticatedMax: 3 });
  const known = session(harness);
  assert.equal(await call(known, credential), ok);
  const sockets = idle(harness, 30);
  await eventually('all are connected', () => sockets.every((each) => !each.connecting));
  const other = session(harness);
  assert.equal(await call(other, credential), ok);
  await eventually('three are left', () => openOf(sockets) === 3);
  assert.equal(openOf(sockets.slice(-3)), 3, 'the newest are left');
  assert.equal(await call(known, credential), ok);
  const limits = new Set(harness.events('connection-refused').map(({ setting }) => setting));
  assert.deepEqual([...limits].sort(), ['server.max_connections', 'server.unauthenticated_max']);
  for (const each of [known, other]) each.destroy();
});

test('a connection counts as without a credential until a call was let in', async () => {
  await using harness = await start({ maxConnections: 2, unauthenticatedMax: 25 });
  const wrong = session(harness);
  assert.equal(await call(wrong), unauthenticated);
  const known = session(harness);
  assert.equal(await call(known, credential), ok);
  const next = session(harness);
  assert.equal(await call(next, credential), ok);
  await eventually('the one without is closed', () => wrong.destroyed);
  // Both others have shown theirs: nobody is closed for a third.
  const third = session(harness);
  await eventually('the third is refused', () => third.destroyed);
  assert.deepEqual([known.destroyed, next.destroyed], [false, false]);
  for (const each of [known, next]) each.destroy();
});

test('many that connect at once and then call all stay', async () => {
  await using harness = await start({ maxConnections: 60, unauthenticatedMax: 3 });
  const sessions = Array.from({ length: 50 }, () => session(harness));
  const statuses = await Promise.all(sessions.map((each) => call(each, credential)));
  assert.deepEqual(new Set(statuses), new Set([ok]));
  for (const each of sessions) each.destroy();
});

test('an open server closes no connection for want of a credential', async () => {
  await using harness = await start({ maxConnections: 10, unauthenticatedMax: 1 }, openAuthenticator);
  const sockets = idle(harness, 12);
  await eventually('two are refused', () => harness.events('connection-refused').length === 2);
  assert.equal(openOf(sockets.slice(0, 10)), 10);
  for (const each of sockets) each.destroy();
});

test('connections from one address have a limit if one is set', async () => {
  await using harness = await start({ perAddressMax: 2 }, openAuthenticator);
  const sockets = idle(harness, 3);
  await eventually('one is refused', () => harness.events('connection-refused').length === 1);
  assert.deepEqual(harness.events('connection-refused')[0], {
    event: 'connection-refused',
    listener: 'flight',
    setting: 'server.connections_per_address_max',
    limit: 2,
  });
  for (const each of sockets) each.destroy();
  // The server hears of their end a moment later.
  for (let status: string | null = null; status !== ok; ) {
    const later = session(harness);
    status = await call(later);
    later.destroy();
  }
});
