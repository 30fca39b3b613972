import type { Http2Session, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import {
  type ConnectionInjector,
  logVerbosity,
  Server,
  ServerCredentials,
  ServerInterceptingCall,
  type ServerInterceptingCallInterface,
  type ServiceDefinition,
  setLogVerbosity,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { FrameholdError } from '../../model/errors.ts';
import { UnderWay } from '../../sockets/under-way.ts';
import { messagePrefixBytes } from '../grpc-message.ts';
import type { Method } from '../method.ts';
import type { TransportCall } from '../run-call.ts';
import type { CallStatus } from '../status.ts';
import { pingAfterGoaway } from './goaway-ping.ts';
import { GrpcCall, type GrpcCallOptions } from './grpc-call.ts';
import { onHttp2Session, setHttp2Options, skipStreams } from './internals.ts';
import { LeavableSession } from './leavable-session.ts';
import { MessageInflater } from './message-inflater.ts';
import { MessageMemory } from './message-memory.ts';

export interface GrpcServerOptions {
  /** One batch is one message, and a table written in one piece is one batch: hence the size. Memory is taken as bytes arrive, not before. */
  readonly messageBytesMax: number;
  /** Bytes of messages that are held at once, over all calls. */
  readonly messageMemoryMax: number;
  /** A client may compute for a while between two batches, but not for ever. */
  readonly callIdleMs: number;
  /** A client that speaks HTTP/2 sends its preface at once; a connection without one takes a place that others could have. */
  readonly greetingMs: number;
  /** Clients keep connections for later use; a quarter of an hour without a call is long enough. */
  readonly connectionIdleMs: number;
  /** Detects peers that vanished without closing, sooner than TCP would. */
  readonly keepaliveMs: number;
  readonly keepaliveTimeoutMs: number;
}

/** How far ahead of us a client may send in one call. With HTTP/2's own 64 KiB a put reaches a fifth of its speed. */
const streamWindowBytes = 16 * 1024 * 1024;
/** The same for all calls of a connection together. */
const connectionWindowBytes = 64 * 1024 * 1024;
/** Larger frames than HTTP/2's 16 KiB mean fewer of them to take apart. */
const frameBytesMax = 1024 * 1024;
/**
 * A connection that is opened although the server is to stop soon is kept for so long. Calls that were on their way when their connection was left come here, and
 * clients repeat a call that was not looked at only once by themselves.
 */
const laterConnectionMs = 1_000;
/** Calls at once on one connection; more than any client opens, and little enough that one cannot fill the memory. */
const streamsMax = 100;

/** Names and values of a call's headers together; a token or a cookie of the largest kind has some ten kilobytes. */
const headerBytesMax = 64 * 1024;
/** How much nonsense a connection may send before it is closed. Some are Node's defaults; they are set nevertheless, so that another version of Node does not change them. */
const patience = {
  /** Headers of a call. Clients send a dozen; each becomes an entry of two objects. */
  maxHeaderListPairs: 128,
  /** Calls that were begun and given up: so many at once, then so many a second. Each costs the server more than the client. */
  streamResetBurst: 200,
  streamResetRate: 33,
  /** Frames that HTTP/2 does not allow, and calls above `streamsMax`. */
  maxSessionInvalidFrames: 100,
  maxSessionRejectedStreams: 100,
  /** Entries of one SETTINGS frame. There are a dozen in all of HTTP/2. */
  maxSettings: 32,
} as const;

/** The methods, served by grpc-js on connections that somebody else accepts. The only module, with its neighbours, that knows grpc-js. */
export class GrpcServer {
  readonly #server: Server;
  readonly #injector: ConnectionInjector;
  readonly #methods = new Map<string, Method>();
  readonly #run: (method: Method, call: TransportCall) => Promise<CallStatus>;
  readonly #calls = new UnderWay<GrpcCall>();
  readonly #callOptions: GrpcCallOptions;
  readonly #connections = new Map<Http2Session, LeavableSession>();
  #isLeaving = false;
  #draining = false;

  constructor(
    methods: readonly Method[],
    run: (method: Method, call: TransportCall) => Promise<CallStatus>,
    options: GrpcServerOptions,
  ) {
    this.#run = run;
    this.#callOptions = {
      ...options,
      // Less than one message would take none of that size.
      memory: new MessageMemory(Math.max(options.messageMemoryMax, options.messageBytesMax)),
      inflater: new MessageInflater(),
    };
    for (const method of methods) this.#methods.set(method.path, method);
    // It would print callers' headers that it cannot read, credentials among them, past the log and as often as they like.
    setLogVerbosity(logVerbosity.NONE);
    this.#server = new Server({
      'grpc.max_receive_message_length': options.messageBytesMax,
      // Ours is the tighter one, and says what to do.
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': streamsMax,
      'grpc.max_connection_idle_ms': options.connectionIdleMs,
      'grpc.keepalive_time_ms': options.keepaliveMs,
      'grpc.keepalive_timeout_ms': options.keepaliveTimeoutMs,
      'grpc.enable_channelz': 0,
      interceptors: [(definition, call) => this.#takeOver(definition.path, call)],
    });
    this.#server.addService(serviceDefinition(methods), neverCalled(methods));
    setHttp2Options(this.#server, {
      settings: {
        initialWindowSize: streamWindowBytes,
        maxFrameSize: frameBytesMax,
        maxHeaderListSize: headerBytesMax,
      },
      ...patience,
    });
    this.#injector = this.#server.createConnectionInjector(ServerCredentials.createInsecure());
    skipStreams(this.#server, (stream) => this.#refuses(stream));
    onHttp2Session(this.#server, (session) => {
      if (!session.destroyed) session.setLocalWindowSize(connectionWindowBytes);
      pingAfterGoaway(session);
      this.#follow(session);
      const silent = setTimeout(() => session.destroy(), options.greetingMs).unref();
      session.once('remoteSettings', () => clearTimeout(silent));
      session.once('close', () => clearTimeout(silent));
    });
  }

  /** Serves gRPC on an accepted connection. */
  accept(connection: Duplex): void {
    this.#injector.injectConnection(connection);
  }

  /** Still takes calls. A connection with calls on it, now or later, is ended after them, so that its client opens another one: behind a balancer, to another node. */
  stopSoon(): void {
    this.#isLeaving = true;
    for (const connection of this.#connections.values()) if (connection.isUsed) connection.leave();
  }

  /**
   * Refuses new calls, lets running ones finish until the time is up, then ends them. Resolves when the last verb has returned,
   * or has had `stopMs` to notice that it should.
   */
  async drain(graceMs: number, stopMs: number): Promise<void> {
    this.#draining = true;
    this.#isLeaving = true;
    // Not the injector's own drain: it closes sessions with calls, and the first keepalive on a closing session ends it and its calls.
    for (const connection of this.#connections.values()) connection.end();
    await this.#calls.idleWithin(graceMs);
    const reason = new FrameholdError('draining', 'The server is stopping.', { hint: 'Try again.' });
    for (const call of this.#calls) call.stop(reason);
    await this.#calls.idleWithin(stopMs);
    this.#injector.destroy();
  }

  #follow(session: ServerHttp2Session): void {
    const connection = new LeavableSession(session);
    this.#connections.set(session, connection);
    session.once('close', () => this.#connections.delete(session));
    const leaveAfter = this.#isLeaving ? performance.now() + laterConnectionMs : 0;
    session.on('stream', () => {
      if (this.#isLeaving && performance.now() >= leaveAfter) connection.leave();
    });
  }

  #refuses(stream: ServerHttp2Stream): boolean {
    const connection = stream.session && this.#connections.get(stream.session);
    return connection?.refuses(stream) ?? false;
  }

  #takeOver(path: string, call: ServerInterceptingCallInterface): ServerInterceptingCall {
    const method = this.#methods.get(path);
    if (method === undefined) return new ServerInterceptingCall(call);
    const { messageBytesMax } = this.#callOptions;
    const bounds = {
      ...this.#callOptions,
      messageBytesMax: Math.min(method.messageBytesMax ?? messageBytesMax, messageBytesMax),
    };
    return new InterceptedCall(call, new GrpcCall(call, bounds, (started) => this.#serve(method, started)));
  }

  async #serve(method: Method, call: GrpcCall): Promise<void> {
    this.#calls.add(call);
    if (this.#draining) call.stop(new FrameholdError('draining', 'The server is stopping.'));
    call.end(await this.#run(method, call));
    this.#calls.ended(call);
  }
}

/**
 * grpc-js would hand the call to a handler through a stream of its own. Interceptors are its public way to run before that. This
 * one passes nothing on: it serves the call itself.
 */
class InterceptedCall extends ServerInterceptingCall {
  readonly #served: GrpcCall;

  constructor(call: ServerInterceptingCallInterface, served: GrpcCall) {
    super(call);
    this.#served = served;
  }

  override start(): void {
    this.#served.start();
  }
}

/** On the wire every method is a stream of messages each way, and so all are declared. */
function serviceDefinition(methods: readonly Method[]): ServiceDefinition {
  const entries = methods.map((method) => [
    method.path,
    {
      path: method.path,
      requestStream: true,
      responseStream: true,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => bytes,
      // Used only if grpc-js adds the prefix itself (internals.ts): then ours is removed.
      responseSerialize: (message: Buffer) => message.subarray(messagePrefixBytes),
      responseDeserialize: (bytes: Buffer) => bytes,
    },
  ]);
  return Object.fromEntries(entries) as ServiceDefinition;
}

function neverCalled(methods: readonly Method[]): UntypedServiceImplementation {
  const refuse = () => {
    throw new Error('grpc-js called a handler: the interceptor no longer takes calls over');
  };
  return Object.fromEntries(methods.map((method) => [method.path, refuse]));
}
