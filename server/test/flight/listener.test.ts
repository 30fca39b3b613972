import assert from 'node:assert/strict';
import { existsSync, renameSync } from 'node:fs';
import { connect, constants } from 'node:http2';
import { connect as connectSocket, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { HealthCheckRequestSchema, HealthCheckResponseSchema } from '../../src/flight/gen/health_pb.js';
import { grpcMessageOf } from '../../src/flight/grpc-message.ts';
import { assertTook } from '../support/machine-pace.ts';
import { timePasses } from '../support/passing-time.ts';
import { eventually } from '../support/patience.ts';
import { rawHttp } from '../support/raw-http.ts';
import { removeFolder, temporaryFolder } from '../support/temporary-folder.ts';
import { Harness, manyConnections } from './harness.ts';
import { RawCall } from './raw-call.ts';

function healthRequestFor(service: string): Buffer {
  return grpcMessageOf(toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema, { service })));
}
const healthRequest = healthRequestFor('');
/** Flight's own, without those of Flight SQL. */
const actionCount = 18;

describe('Flight listener', () => {
  it('binds IPv6 and says so', async () => {
    await using harness = await Harness.start({ host: '[::1]' });
    assert.match(harness.listener.address, /^\[::1\]:\d+$/);
    assert.equal(
      await harness.python.run(
        `answer = len([each for each in state['client'].list_actions() if each.type.islower()])`,
      ),
      actionCount,
    );
  });

  it('answers HTTP/1.1 that the port speaks gRPC', async () => {
    await using harness = await Harness.start();
    const base = `http://127.0.0.1:${harness.listener.port}`;
    const answer = await rawHttp(base, 'GET /v1/frames HTTP/1.1\r\nhost: localhost\r\n\r\n');
    assert.equal(answer.status, 400);
    assert.match(answer.body.toString(), /^This port speaks gRPC \(Arrow Flight\), not HTTP\/1\.1\./);
  });

  it('binds a unix socket, also over one that a killed server left', async () => {
    const folder = temporaryFolder('socket');
    const path = join(folder, 'flight.sock');
    const dead = createServer().listen(path);
    await eventually('listening', () => dead.listening);
    // Moved away and back, so that closing does not remove it: what is left when a process is killed.
    renameSync(path, `${path}.left`);
    await new Promise((resolve) => dead.close(resolve));
    renameSync(`${path}.left`, path);
    {
      await using harness = await Harness.start({ host: `unix:${path}` });
      assert.equal(harness.listener.address, `unix:${path}`);
      assert.equal(
        await harness.python.run(
          `answer = len([each for each in state['client'].list_actions() if each.type.islower()])`,
        ),
        actionCount,
      );
      await assert.rejects(Harness.start({ host: `unix:${path}` }), /EADDRINUSE/);
    }
    assert.equal(existsSync(path), false);
    removeFolder(folder);
  });

  it('says that a port is taken', async () => {
    await using harness = await Harness.start();
    await assert.rejects(Harness.start({ port: harness.listener.port }), /EADDRINUSE/);
  });

  it('puts the public URL into endpoints', async () => {
    await using harness = await Harness.start({ publicUrl: 'grpc+tls://frames.example:443' });
    const answer = await harness.python.run(`
put(state['client'], path('here'), table())
answer = [each.uri.decode() for each in state['client'].get_flight_info(path('here')).endpoints[0].locations]
`);
    assert.deepEqual(answer, ['grpc+tls://frames.example:443']);
  });

  it('closes one connection too many at once, and the client hears UNAVAILABLE', async () => {
    await using harness = await Harness.start({ connections: { ...manyConnections, maxConnections: 2 } });
    await harness.python.run(`list(state['client'].list_actions())`);
    const second = connectSocket(harness.listener.port, '127.0.0.1');
    await eventually('connected', () => second.readyState === 'open');
    const third = await harness.python.tryRun(`list(fl.connect(input).list_actions())`, harness.url);
    assert.equal(third.error, 'FlightUnavailableError');
    assertTook(third.seconds * 1_000, 2_000);
    assert.ok(harness.events('connection-refused').length >= 1);
    assert.deepEqual(harness.events('connection-refused')[0], {
      event: 'connection-refused',
      listener: 'flight',
      setting: 'server.max_connections',
      limit: 2,
    });
    second.destroy();
    const again = `
for attempt in range(50):
    try:
        answer = len([each for each in fl.connect(input).list_actions() if each.type.islower()])
        break
    except fl.FlightUnavailableError:
        time.sleep(0.1)
`;
    assert.equal(await harness.python.run(again, harness.url), actionCount);
  });

  it('closes connections that do nothing or that speak no HTTP/2', async () => {
    await using harness = await Harness.start({ limits: { connectionIdleMs: 200, greetingMs: 200 } });
    const silent = connectSocket(harness.listener.port, '127.0.0.1');
    const wrong = connectSocket(harness.listener.port, '127.0.0.1');
    wrong.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    for (const socket of [silent, wrong] as Socket[]) {
      socket.resume();
      socket.on('error', () => {});
      await eventually('closed', () => socket.closed);
    }
    assert.equal(
      await harness.python.run(
        `answer = len([each for each in state['client'].list_actions() if each.type.islower()])`,
      ),
      actionCount,
    );
  });

  it('lets a running put finish while it closes, and takes no new call', async () => {
    const harness = await Harness.start();
    await harness.python.run(`
state['put'] = state['client'].do_put(path('slow'), table().schema)
state['put'][0].write_table(table())
`);
    await eventually('the put begins', () => harness.frames.counts.begun === 1);
    const closing = harness.listener.close(10_000);
    const refused = await harness.python.tryRun(`list(fl.connect(input).list_actions())`, harness.url);
    assert.equal(refused.error, 'FlightUnavailableError');
    const manifest = await harness.python.run(`
writer, reader = state['put']
writer.write_table(table())
writer.done_writing()
answer = json.loads(reader.read().to_pybytes())['handle']
writer.close()
`);
    assert.equal(manifest, 'slow@1');
    await closing;
    harness.python.kill();
  });

  it('keeps a running put while it closes, although it looks meanwhile whether the client is still there', async () => {
    const harness = await Harness.start({ limits: { keepaliveMs: 50, keepaliveTimeoutMs: 30_000 } });
    await harness.python.run(`
state['put'] = state['client'].do_put(path('slow'), table().schema)
state['put'][0].write_table(table())
`);
    await eventually('the put begins', () => harness.frames.counts.begun === 1);
    const closing = harness.listener.close(60_000);
    await timePasses(300, 'the keepalive, which comes each 50 ms');
    const manifest = await harness.python.run(`
writer, reader = state['put']
writer.write_table(table())
writer.done_writing()
answer = json.loads(reader.read().to_pybytes())['handle']
writer.close()
`);
    assert.equal(manifest, 'slow@1');
    await closing;
    harness.python.kill();
  });

  it('says GOAWAY on each connection that is used once it is to stop soon, and serves every call meanwhile', async () => {
    await using harness = await Harness.start();
    const session = connect(`http://${harness.listener.address}`);
    const goaways: number[] = [];
    session.on('goaway', (_code, lastStream) => goaways.push(lastStream));
    const check = () => new RawCall(session, '/grpc.health.v1.Health/Check').ended(healthRequest);
    const serving = (call: RawCall) =>
      fromBinary(HealthCheckResponseSchema, call.messages[0] ?? Buffer.of()).status;
    assert.equal(serving(await check()), 1);
    await harness.python.run(`
state['put'] = state['client'].do_put(path('slow'), table().schema)
state['put'][0].write_table(table())
`);
    await eventually('the put begins', () => harness.frames.counts.begun === 1);
    harness.listener.stopSoon();
    // Nobody uses the first connection just now: what is sent on it may be on its way.
    assert.deepEqual(goaways, []);
    assert.equal(serving(await check()), 2);
    await eventually('the connection has ended', () => session.closed || session.destroyed);
    // That of the second check, which was served.
    assert.equal(goaways[0], 3);
    // The put goes on, and the client opens another connection for its next calls.
    const answer = await harness.python.run(`
answer = [len([each for each in state['client'].list_actions() if each.type.islower()]) for n in range(20)]
writer, reader = state['put']
writer.write_table(table())
writer.done_writing()
answer.append(json.loads(reader.read().to_pybytes())['handle'])
writer.close()
`);
    assert.deepEqual(answer, [...Array(20).fill(actionCount), 'slow@1']);
  });

  it('refuses calls that are on their way while it says GOAWAY, so that their client sends them again', async () => {
    await using harness = await Harness.start();
    const session = connect(`http://${harness.listener.address}`);
    const begin = () => {
      const call = new RawCall(session, '/grpc.health.v1.Health/Check');
      call.stream.end(healthRequest);
      return call.stream;
    };
    const watch = new RawCall(session, '/grpc.health.v1.Health/Watch');
    watch.stream.end(healthRequest);
    await eventually('the watch is answered', () => watch.messages.length === 1);
    harness.listener.stopSoon();
    // The client has read nothing yet: without an answer to them it would wait for ever.
    const late = [begin(), begin()];
    await eventually('both have ended', () => late.every((stream) => stream.closed));
    assert.deepEqual(
      late.map((stream) => stream.rstCode),
      [constants.NGHTTP2_REFUSED_STREAM, constants.NGHTTP2_REFUSED_STREAM],
    );
    session.destroy();
  });

  it('fails no call of a client that calls all the time while it is to stop soon', async () => {
    await using harness = await Harness.start();
    await harness.python.run(`
state['put'] = state['client'].do_put(path('slow'), table().schema)
state['put'][0].write_table(table())
state['counts'] = [0] * 4
state['errors'] = []
state['running'] = True
def call_on(n):
    try:
        while state['running']:
            list(state['client'].list_actions())
            state['counts'][n] += 1
    except Exception as error:
        state['errors'].append(str(error))
state['threads'] = [threading.Thread(target=call_on, args=(n,), daemon=True) for n in range(4)]
for each in state['threads']:
    each.start()
`);
    const counts = async () => (await harness.python.run(`answer = state['counts']`)) as number[];
    await eventually('each thread has called', async () => (await counts()).every((count) => count > 10));
    harness.listener.stopSoon();
    await timePasses(3_000, 'connections that are opened now are left after a second, one after the other');
    const before = await counts();
    const goesOn = async () => (await counts()).every((count, n) => count > (before[n] ?? 0) + 10);
    const errors = async () => (await harness.python.run(`answer = state['errors']`)) as string[];
    await eventually(
      'each thread calls or has failed',
      async () => (await goesOn()) || (await errors()).length > 0,
    );
    assert.deepEqual(await errors(), []);
    await harness.python.run(`
state['running'] = False
for each in state['threads']:
    each.join()
`);
  });

  it('ends what does not finish in time', async () => {
    const harness = await Harness.start();
    await harness.python.run(`
state['put'] = state['client'].do_put(path('slow'), table().schema)
state['put'][0].write_table(table())
`);
    await eventually('the put begins', () => harness.frames.counts.begun === 1);
    await harness.listener.close(100);
    assert.equal(harness.frames.counts.aborted, 1);
    assert.equal(harness.events('request-failed').at(-1)?.kind, 'draining');
    const reply = await harness.python.tryRun(`state['put'][0].close()`);
    assert.match(reply.message ?? '', /The server is stopping/);
    harness.python.kill();
  });

  it('answers health checks, and notifies a watcher when it stops', async () => {
    const harness = await Harness.start();
    const ask = (method: string, service: string): RawCall => {
      const call = new RawCall(harness.listener.address, `/grpc.health.v1.Health/${method}`);
      call.stream.end(healthRequestFor(service));
      return call;
    };
    const serving = (message: Uint8Array | undefined) =>
      fromBinary(HealthCheckResponseSchema, message ?? Buffer.of()).status;
    for (const service of ['', 'arrow.flight.protocol.FlightService']) {
      const call = ask('Check', service);
      assert.equal((await call.status())['grpc-status'], '0');
      assert.equal(serving(call.messages[0]), 1);
    }
    assert.equal((await ask('Check', 'nobody').status())['grpc-status'], '5');
    const watch = ask('Watch', '');
    await eventually('an answer', () => watch.messages.length === 1);
    assert.equal(serving(watch.messages[0]), 1);
    await harness.listener.close(5_000);
    assert.equal((await watch.status())['grpc-status'], '0');
    assert.equal(serving(watch.messages[1]), 2);
    harness.python.kill();
  });

  it('is not serving while the server is not ready, and tells a watcher of each change', async () => {
    let isReady = false;
    await using harness = await Harness.start({ isReady: async () => isReady });
    const watch = new RawCall(harness.listener.address, '/grpc.health.v1.Health/Watch');
    watch.stream.end(healthRequest);
    const told = () => watch.messages.map((message) => fromBinary(HealthCheckResponseSchema, message).status);
    await eventually('an answer', () => told().length === 1);
    const check = new RawCall(harness.listener.address, '/grpc.health.v1.Health/Check');
    await check.ended(healthRequest);
    assert.equal(fromBinary(HealthCheckResponseSchema, check.messages[0] ?? Buffer.of()).status, 2);
    isReady = true;
    await eventually('it is ready', () => told().length === 2);
    assert.deepEqual(told(), [2, 1]);
    watch.session.destroy();
    check.session.destroy();
  });
});
