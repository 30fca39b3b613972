import {
  type DescMessage,
  type DescMethod,
  fromBinary,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Channel, type ChannelOptions, credentials, Metadata } from '@grpc/grpc-js';
import { ConnectCall, GrpcFailure, messageBytesMax } from './connect-call.ts';
import { addressText, type ConnectAddress } from './connect-url.ts';

export interface ConnectChannelOptions {
  readonly address: ConnectAddress;
  readonly token: string | null;
  /** Certificates in PEM that vouch for the server's; null for those of Node. */
  readonly authorities: Buffer | null;
}

export interface CallLimits {
  /** How long the call may take as a whole. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
}

/** A method with a request of one message. */
export type Method<I extends DescMessage, O extends DescMessage> = DescMethod & {
  readonly input: I;
  readonly output: O;
};

/** What may be on its way for one stream: enough for 400 MB/s at a distance of 10 ms, and little beside a batch. */
const windowBytes = 4 * 1024 * 1024;

const options: ChannelOptions = {
  'grpc.max_receive_message_length': messageBytesMax,
  'grpc-node.flow_control_window': windowBytes,
  // A statement that is repeated must be repeated by what knows what it has received.
  'grpc.enable_retries': 0,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 1000,
  // A second channel is for a first one that is stuck: they may not share a connection.
  'grpc.use_local_subchannel_pool': 1,
  // A connection that nobody uses may be cut on its way without a word: the next statement makes a new one.
  'grpc.client_idle_timeout_ms': 60_000,
  'grpc.service_config_disable_resolution': 1,
  'grpc.enable_http_proxy': 0,
};

/** One connection to Spark Connect, made when it is first used and again if it breaks. The only file that knows how grpc-js is set up. */
export class ConnectChannel {
  readonly #open: () => Channel;
  readonly #headers: ReadonlyMap<string, string>;
  readonly #channels = new WeakMap<ConnectCall, Channel>();
  #channel: Channel;

  constructor({ address, token, authorities }: ConnectChannelOptions) {
    const security = address.tls ? credentials.createSsl(authorities) : credentials.createInsecure();
    this.#open = () => new Channel(addressText(address), security, options);
    this.#channel = this.#open();
    this.#headers = new Map([
      ...address.headers,
      ...(token === null ? [] : [['authorization', `Bearer ${token}`] as const]),
    ]);
  }

  /** One message for one. GrpcFailure, or the reason of the signal. */
  async ask<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: MessageShape<I>,
    { timeoutMs, signal }: CallLimits,
  ): Promise<MessageShape<O>> {
    signal?.throwIfAborted();
    const call = this.#call(method, request, Date.now() + timeoutMs);
    const onAbort = () => call.cancel();
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      const bytes = await call.next();
      if (bytes === null || (await call.next()) !== null)
        throw new GrpcFailure({
          code: 13,
          details: 'not one answer to one request',
          metadata: new Metadata(),
        });
      return fromBinary(method.output, bytes);
    } catch (thrown) {
      signal?.throwIfAborted();
      throw thrown;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Messages as they are asked for, until the call is cancelled. */
  stream<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: MessageShape<I>,
  ): ConnectCall {
    return this.#call(method, request, Number.POSITIVE_INFINITY);
  }

  #call<I extends DescMessage, O extends DescMessage>(
    method: Method<I, O>,
    request: MessageShape<I>,
    deadline: number,
  ): ConnectCall {
    const path = `/${method.parent.typeName}/${method.name}`;
    const metadata = new Metadata();
    for (const [name, value] of this.#headers) metadata.set(name, value);
    const message = Buffer.from(toBinary(method.input, request));
    const channel = this.#channel;
    const call = new ConnectCall(channel.createCall(path, deadline, null, null, null), metadata, message);
    this.#channels.set(call, channel);
    return call;
  }

  /** Later calls use a new connection, because this one's is taken for dead. Once for each connection; calls under way keep theirs. */
  replaceConnectionOf(call: ConnectCall): void {
    const channel = this.#channels.get(call);
    if (channel !== this.#channel) return;
    this.#channel = this.#open();
    channel.close();
  }

  close(): void {
    this.#channel.close();
  }
}
