import assert from 'node:assert/strict';
import { constants } from 'node:http2';
import { after, before, beforeEach, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { create, toBinary } from '@bufbuild/protobuf';
import { TicketSchema } from '../../src/flight/gen/Flight_pb.js';
import { grpcMessageOf } from '../../src/flight/grpc-message.ts';
import { openCaller } from '../../src/model/caller.ts';
import { eventually } from '../support/patience.ts';
import { Harness } from './harness.ts';
import { PyArrowClient } from './pyarrow-client.ts';
import { flightService, RawCall, schemaFrame } from './raw-call.ts';

describe('clients that go away or misbehave', () => {
  let harness: Harness;
  let schema: Uint8Array;
  before(async () => {
    harness = await Harness.start({ limits: { messageBytesMax: 1024 * 1024, callIdleMs: 300 } });
    await harness.python.run(`put(state['client'], path('seed'), table())`);
    schema = (await harness.frames.resolve(openCaller, { name: 'seed', version: null })).schema.message;
  });
  after(() => harness[Symbol.asyncDispose]());
  beforeEach(() => {
    Object.assign(harness.frames.counts, { begun: 0, committed: 0, aborted: 0 });
  });

  const begin = async (): Promise<RawCall> => {
    const call = new RawCall(harness.listener.address, flightService('DoPut'));
    call.stream.write(schemaFrame('broken', schema));
    await eventually('the put begins', () => harness.frames.counts.begun === 1);
    return call;
  };
  const givenUp = async (): Promise<void> => {
    await eventually('the put is given up', () => harness.frames.counts.aborted === 1);
    assert.equal(harness.frames.counts.committed, 0);
  };

  for (const code of ['NGHTTP2_CANCEL', 'NGHTTP2_NO_ERROR', 'NGHTTP2_INTERNAL_ERROR'] as const) {
    it(`takes a put that was reset with ${code} for given up, not for finished`, async () => {
      const call = await begin();
      call.stream.close(constants[code]);
      await givenUp();
      call.session.close();
    });
  }

  it('takes a put whose client was killed for given up', async () => {
    const other = new PyArrowClient();
    const code = `
state['put'] = fl.connect(input).do_put(path('killed'), table().schema)
state['put'][0].write_table(table())
`;
    await other.run(code, harness.url);
    await eventually('the put begins', () => harness.frames.counts.begun === 1);
    other.kill();
    await givenUp();
  });

  it('takes a put whose connection broke for given up', async () => {
    const call = await begin();
    call.session.destroy();
    await givenUp();
    assert.equal(harness.events('flight-call').at(-1)?.status, 1);
  });

  it('refuses a stream that ends inside a message', async () => {
    const call = await begin();
    call.stream.end(schemaFrame('broken', schema).subarray(0, 20));
    const status = await call.status();
    assert.equal(status['grpc-status'], '3');
    assert.match(decodeURIComponent(String(status['grpc-message'])), /middle of a message/);
    await givenUp();
  });

  it('refuses a message by its announced size', async () => {
    const call = await begin();
    call.stream.write(Buffer.of(0, 0x7f, 0xff, 0xff, 0xff));
    const status = await call.status();
    assert.equal(status['grpc-status'], '8');
    assert.equal(status['framehold-code'], 'body_too_large');
    assert.match(decodeURIComponent(String(status['grpc-message'])), /2147483647 bytes.*smaller batches/);
    await givenUp();
  });

  it('reports to pyarrow that a batch is too large', async () => {
    const reply = await harness.python.tryRun(`put(state['client'], path('large'), table(200_000))`);
    assert.match(reply.message ?? '', /this server takes messages of up to 1048576 bytes.*max_chunksize/);
  });

  it('refuses bytes that are no FlightData', async () => {
    const call = await begin();
    call.stream.write(Buffer.of(0, 0, 0, 0, 3, 0x12, 0x7f, 0x00));
    const status = await call.status();
    assert.equal(status['framehold-code'], 'bad_body');
    assert.match(String(status['framehold-request-id']), /^[a-z2-7]{26}$/);
    await givenUp();
  });

  it('ends a put that sends nothing', async () => {
    const call = await begin();
    assert.equal((await call.status())['framehold-code'], 'request_timeout');
    await givenUp();
  });

  it('takes compressed messages', async () => {
    const compressed = new RawCall(harness.listener.address, flightService('DoPut'), {
      'grpc-encoding': 'gzip',
    });
    const packed = gzipSync(schemaFrame('packed', schema).subarray(5));
    const prefix = Buffer.alloc(5);
    prefix[0] = 1;
    prefix.writeUInt32BE(packed.length, 1);
    compressed.stream.end(Buffer.concat([prefix, packed]));
    assert.equal((await compressed.status())['grpc-status'], '0');
    assert.match(String(compressed.messages[0]), /packed@1/);
  });

  it('says what is wrong with a request that is none', async () => {
    const call = new RawCall(harness.listener.address, flightService('GetFlightInfo'));
    call.stream.end(Buffer.of(0, 0, 0, 0, 1, 0xff));
    assert.equal((await call.status())['framehold-code'], 'bad_request');
    const empty = new RawCall(harness.listener.address, flightService('GetFlightInfo'));
    empty.stream.end();
    assert.match(decodeURIComponent(String((await empty.status())['grpc-message'])), /without its request/);
    const unknown = new RawCall(harness.listener.address, flightService('Nothing'));
    unknown.stream.end();
    assert.equal((await unknown.status())['grpc-status'], '12');
  });

  it('ends a get that nobody takes', async () => {
    await harness.python.run(`put(state['client'], path('untaken'), table(400_000), chunk=10_000)`);
    const call = new RawCall(harness.listener.address, flightService('DoGet'));
    call.stream.pause();
    call.stream.end(
      grpcMessageOf(toBinary(TicketSchema, create(TicketSchema, { ticket: Buffer.from('untaken') }))),
    );
    await eventually('the reading begins', () => harness.frames.counts.readings === 1);
    await eventually('the reading is released', () => harness.frames.counts.readings === 0);
    assert.equal(harness.events('request-failed').at(-1)?.kind, 'request_timeout');
    await eventually('the stream is reset', () => call.stream.rstCode === constants.NGHTTP2_CANCEL);
    call.session.destroy();
  });

  it('stops reading for a caller who cancels a get', async () => {
    await harness.python.run(`put(state['client'], path('long'), table(400_000), chunk=10_000)`);
    await harness.python.run(`
reader = state['client'].do_get(fl.Ticket(b'long'))
reader.read_chunk()
reader.cancel()
`);
    await eventually('the reading is released', () => harness.frames.counts.readings === 0);
  });

  it('keeps no call after its deadline', async () => {
    let open = () => {};
    harness.frames.gate = new Promise((resolve) => {
      open = resolve;
    });
    const reply = await harness.python.tryRun(`
writer, reader = state['client'].do_put(path('late'), table().schema, fl.FlightCallOptions(timeout=0.2))
writer.write_table(table())
writer.close()
`);
    open();
    assert.match(reply.error ?? '', /TimedOut/);
    await givenUp();
  });
});
