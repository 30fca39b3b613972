import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  type IncomingHttpHeaders,
} from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import {
  FlightDescriptor_DescriptorType as DescriptorType,
  FlightDataSchema,
} from '../../src/flight/gen/Flight_pb.js';
import { grpcMessageOf, messagePrefixBytes } from '../../src/flight/grpc-message.ts';

/** gRPC by hand, for what no well-behaved client does. */
export class RawCall {
  readonly session: ClientHttp2Session;
  readonly stream: ClientHttp2Stream;
  readonly #headers: Promise<IncomingHttpHeaders>;
  readonly #chunks: Buffer[] = [];

  /** On a connection of its own, or on one that is there. */
  constructor(to: string | ClientHttp2Session, path: string, headers: Readonly<Record<string, string>> = {}) {
    this.session = typeof to === 'string' ? connect(`http://${to}`) : to;
    this.session.on('error', () => {});
    this.stream = this.session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
      ...headers,
    });
    this.stream.on('error', () => {});
    this.stream.on('data', (chunk: Buffer) => this.#chunks.push(chunk));
    this.#headers = new Promise((resolve) => {
      this.stream.on('response', (headers) => {
        if (headers['grpc-status'] !== undefined) resolve(headers);
      });
      this.stream.on('trailers', resolve);
      // A connection that was refused has no status.
      this.stream.on('close', () => resolve({}));
    });
  }

  /** The answer's status with its metadata. */
  async status(): Promise<IncomingHttpHeaders> {
    const headers = await this.#headers;
    this.session.close();
    return headers;
  }

  /** Sends this and resolves when the call has ended. The connection stays. */
  async ended(request: Buffer): Promise<this> {
    this.stream.end(request);
    await this.#headers;
    return this;
  }

  /** The messages of the answer that have come whole. */
  get messages(): readonly Buffer[] {
    const messages: Buffer[] = [];
    for (let rest = Buffer.concat(this.#chunks); rest.length >= messagePrefixBytes; ) {
      const end = messagePrefixBytes + rest.readUInt32BE(1);
      if (rest.length < end) break;
      messages.push(rest.subarray(messagePrefixBytes, end));
      rest = rest.subarray(end);
    }
    return messages;
  }
}

export function flightService(method: string): string {
  return `/arrow.flight.protocol.FlightService/${method}`;
}

/** The first message of a put. */
export function schemaFrame(name: string, schemaHeader: Uint8Array): Buffer {
  const message = create(FlightDataSchema, {
    flightDescriptor: { type: DescriptorType.PATH, path: [name] },
    dataHeader: schemaHeader,
  });
  return grpcMessageOf(toBinary(FlightDataSchema, message));
}
