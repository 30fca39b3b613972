import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { IncomingHttpHeaders } from 'node:http2';
import { after, before, it } from 'node:test';
import { FlightService } from '../../src/flight/gen/Flight_pb.js';
import { Harness } from './harness.ts';
import { RawCall } from './raw-call.ts';

let harness: Harness;
before(async () => {
  harness = await Harness.start();
});
after(() => harness[Symbol.asyncDispose]());

it('the header to send from then on comes before any message, where the JDBC driver looks for it', async () => {
  const authorization = `Basic ${Buffer.from('somebody:secret').toString('base64')}`;
  const path = `/${FlightService.typeName}/Handshake`;
  const call = new RawCall(harness.listener.address, path, { authorization });
  const [head] = (await once(call.stream, 'response')) as [IncomingHttpHeaders];
  assert.equal(head.authorization, 'Bearer secret');
  call.stream.end();
  assert.equal((await call.status())['grpc-status'], '0');
});
