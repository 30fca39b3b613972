/** Connections that do nothing, on a server with credentials: nobody is kept out by them. */
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';

let framehold: Framehold;
let token: string;
const sockets: Socket[] = [];
before(async () => {
  framehold = await Framehold.start({ env: { FRAMEHOLD_HTTP_CONNECTIONS_PER_ADDRESS_MAX: '5' } });
  token = newToken(framehold.dataDirectory, 'a', 'read');
});
after(async () => {
  for (const socket of sockets) socket.destroy();
  await framehold.remove();
});

/** Connections to a port that send nothing; resolves when each is open or closed again. */
async function silent(url: string, count: number): Promise<readonly Socket[]> {
  const { port } = new URL(url);
  const opened = Array.from({ length: count }, () => connect(Number(port), '127.0.0.1').resume());
  sockets.push(...opened);
  await Promise.all(
    opened.map(
      (socket) =>
        new Promise<void>((resolve) => {
          socket.once('connect', resolve).on('error', () => resolve());
        }),
    ),
  );
  return opened;
}

test('a hundred gRPC connections without a credential leave Flight to those who have one', async () => {
  const idle = await silent(framehold.grpcUrl, 100);
  const program = `
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given['token'].encode())])
result = len(list(client.list_flights(options=options)))`;
  assert.equal(await flightPython(framehold.grpcUrl, program, { token }), 0);
  await framehold.until('25 connections that are left', () =>
    idle.filter(({ readyState }) => readyState === 'open').length <= 25 ? true : null,
  );
});

test('http.connections_per_address_max closes one connection too many', async () => {
  const opened = await silent(framehold.url, 6);
  await framehold.until('one that was closed', () =>
    opened.filter(({ readyState }) => readyState === 'open').length === 5 ? true : null,
  );
});
