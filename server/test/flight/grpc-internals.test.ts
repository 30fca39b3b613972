import assert from 'node:assert/strict';
import { connect, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import { createServer } from 'node:net';
import { describe, it } from 'node:test';
import { Server, ServerCredentials, ServerInterceptingCall } from '@grpc/grpc-js';
import type { Chunks } from '../../src/flight/call.ts';
import { GrpcCall } from '../../src/flight/grpc/grpc-call.ts';
import {
  onHttp2Session,
  openCallInternals,
  setHttp2Options,
  skipStreams,
} from '../../src/flight/grpc/internals.ts';
import { MessageInflater } from '../../src/flight/grpc/message-inflater.ts';
import { CallMemory, MessageMemory } from '../../src/flight/grpc/message-memory.ts';
import { grpcMessageOf } from '../../src/flight/grpc-message.ts';
import { eventually } from '../support/patience.ts';
import { Harness } from './harness.ts';
import { RawCall } from './raw-call.ts';

const path = '/test.Service/Echo';
const options = {
  messageBytesMax: 1000,
  callIdleMs: 10_000,
  memory: new MessageMemory(1000),
  inflater: new MessageInflater(),
};
const bounds = () => ({ ...options, memory: new CallMemory(options.memory) });
const definition = {
  path,
  requestStream: true,
  responseStream: true,
  requestSerialize: (bytes: Buffer) => bytes,
  requestDeserialize: (bytes: Buffer) => bytes,
  responseSerialize: (frame: Buffer) => frame.subarray(5),
  responseDeserialize: (bytes: Buffer) => bytes,
};

/** A grpc-js server whose calls go through the interceptor. */
async function serve(intercept: (call: ServerInterceptingCall) => ServerInterceptingCall) {
  const grpc = new Server({ interceptors: [(_, call) => intercept(call as ServerInterceptingCall)] });
  grpc.addService({ echo: definition }, { echo: () => {} });
  const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
  const listener = createServer((socket) => injector.injectConnection(socket)).listen(0, '127.0.0.1');
  await eventually('listening', () => listener.listening);
  const { port } = listener.address() as { port: number };
  return { address: `127.0.0.1:${port}`, close: () => listener.close() };
}

describe('grpc-js below its public interface', () => {
  it('is as this version of grpc-js has it', async () => {
    const seen: ReturnType<typeof openCallInternals>[] = [];
    const server = await serve((call) => {
      seen.push(openCallInternals(call, bounds()));
      return call;
    });
    const call = new RawCall(server.address, path);
    await eventually('the call', () => seen.length === 1);
    assert.equal(seen[0]?.sendsDirectly, true, 'grpc-js no longer sends a message unchanged');
    assert.notEqual(seen[0]?.decoder, null, 'grpc-js no longer has the decoder that is replaced');
    assert.notEqual(seen[0]?.stream, null, 'grpc-js no longer shows the HTTP/2 stream');
    call.session.destroy();
    server.close();
    const grpc = new Server();
    assert.equal(setHttp2Options(grpc, {}), true);
    grpc.createConnectionInjector(ServerCredentials.createInsecure());
    assert.equal(
      onHttp2Session(grpc, () => {}),
      true,
    );
    assert.equal(
      skipStreams(grpc, () => false),
      true,
    );
  });

  it('leaves a call alone whose stream was gone before it could be answered', async () => {
    const grpc = new Server();
    const injector = grpc.createConnectionInjector(ServerCredentials.createInsecure());
    skipStreams(grpc, () => false);
    const [http2Server] = (
      grpc as unknown as { http2Servers: Map<Http2Server, unknown> }
    ).http2Servers.keys();
    let gone = 0;
    // What a client does that resets the call, or leaves, in the same breath.
    http2Server?.prependListener('stream', (stream: ServerHttp2Stream) => {
      stream.destroy(new Error('gone'));
      gone += 1;
    });
    const listener = createServer((socket) => injector.injectConnection(socket)).listen(0, '127.0.0.1');
    await eventually('listening', () => listener.listening);
    const session = connect(`http://127.0.0.1:${(listener.address() as { port: number }).port}`);
    for (const headers of [{ ':path': path }, { ':path': path, 'content-type': 'application/grpc' }])
      session.request({ ':method': 'POST', ...headers }).on('error', () => {});
    await eventually('both calls', () => gone === 2);
    session.destroy();
    listener.close();
    injector.destroy();
  });

  it('announces large windows and frames', async () => {
    await using harness = await Harness.start();
    const session = connect(`http://${harness.listener.address}`);
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    assert.equal(session.remoteSettings.initialWindowSize, 16 * 1024 * 1024);
    assert.equal(session.remoteSettings.maxFrameSize, 1024 * 1024);
    assert.equal(session.remoteSettings.maxConcurrentStreams, 100);
    await eventually('the connection window', () => session.state.remoteWindowSize === 64 * 1024 * 1024);
    session.destroy();
  });

  it('is not needed: without it calls are served all the same', async () => {
    const server = await serve((call) => {
      // grpc-js's own wrapper has none of what is looked for.
      const plain = new ServerInterceptingCall(call);
      assert.deepEqual(openCallInternals(plain, bounds()), {
        sendsDirectly: false,
        decoder: null,
        stream: null,
      });
      const taken = new GrpcCall(plain, options, (started) => void echo(started));
      const shell = new ServerInterceptingCall(call);
      shell.start = () => taken.start();
      return shell;
    });
    const call = new RawCall(server.address, path);
    call.stream.write(grpcMessageOf(Buffer.from('one')));
    call.stream.end(grpcMessageOf(Buffer.from('two')));
    assert.equal((await call.status())['grpc-status'], '0');
    assert.deepEqual(call.messages.map(String), ['one', 'two']);
    server.close();
  });
});

async function echo(call: GrpcCall): Promise<void> {
  for await (const message of call.incoming as AsyncIterable<Chunks>)
    await call.send(grpcMessageOf(Buffer.concat(message)));
  await call.confirmEnd();
  call.end({ code: 0, message: '', metadata: {} });
}
