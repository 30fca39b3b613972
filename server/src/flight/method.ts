import {
  create,
  type DescMessage,
  type DescMethodBiDiStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { FrameholdError } from '../model/errors.ts';
import { joinChunks } from './byte-cursor.ts';
import type { Call, Chunks, Incoming, Outgoing } from './call.ts';
import { type GrpcMessage, grpcMessageOf } from './grpc-message.ts';
import { readMessage } from './read-message.ts';

/** One gRPC method as a transport serves it: bytes in, frames out. On the wire all four kinds of gRPC methods are this one. */
export interface Method {
  /** `/package.Service/Method`. */
  readonly path: string;
  /** Served without a credential. */
  readonly isOpen?: boolean;
  /** A message of its requests has at most so many bytes. Absent: as many as the listener takes, because rows come in them. */
  readonly messageBytesMax?: number;
  serve(incoming: Incoming<Chunks>, outgoing: Outgoing<GrpcMessage>, call: Call): Promise<void>;
}

interface MethodName {
  readonly name: string;
  readonly parent: { readonly typeName: string };
}

export function methodPath(method: MethodName): string {
  return `/${method.parent.typeName}/${method.name}`;
}

/** One message in, one out. */
export function unaryMethod<I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O> & MethodName,
  handle: (request: MessageShape<I>, call: Call) => Promise<MessageInitShape<O>>,
): Method {
  return {
    path: methodPath(method),
    async serve(incoming, outgoing, call) {
      const request = decodeMessage(method.input, await onlyMessage(incoming));
      await outgoing.send(encodeMessage(method.output, await handle(request, call)));
    },
  };
}

/** One message in, any number out. */
export function streamingMethod<I extends DescMessage, O extends DescMessage>(
  method: DescMethodServerStreaming<I, O> & MethodName,
  handle: (request: MessageShape<I>, call: Call) => AsyncIterable<MessageInitShape<O>>,
): Method {
  return {
    path: methodPath(method),
    async serve(incoming, outgoing, call) {
      const request = decodeMessage(method.input, await onlyMessage(incoming));
      for await (const answer of handle(request, call))
        await outgoing.send(encodeMessage(method.output, answer));
    },
  };
}

/** Any number in and out. */
export function bidirectionalMethod<I extends DescMessage, O extends DescMessage>(
  method: DescMethodBiDiStreaming<I, O> & MethodName,
  handle: (requests: Incoming<MessageShape<I>>, call: Call) => AsyncIterable<MessageInitShape<O>>,
): Method {
  return {
    path: methodPath(method),
    async serve(incoming, outgoing, call) {
      for await (const answer of handle(decodeEach(method.input, incoming), call))
        await outgoing.send(encodeMessage(method.output, answer));
    },
  };
}

export async function onlyMessage(incoming: Incoming<Chunks>): Promise<Chunks> {
  for await (const message of incoming) return message;
  throw new FrameholdError('bad_request', 'The call came without its request message.', {
    hint: 'Use a client of Arrow Flight; it sends one.',
  });
}

export function decodeMessage<D extends DescMessage>(schema: D, message: Chunks): MessageShape<D> {
  try {
    return readMessage(schema, joinChunks(message));
  } catch (error) {
    throw new FrameholdError('bad_request', `Not a ${schema.name} message.`, {
      cause: error,
      hint: 'Use a client of Arrow Flight; it encodes the messages of its calls.',
    });
  }
}

export function encodeMessage<D extends DescMessage>(schema: D, message: MessageInitShape<D>): GrpcMessage {
  return grpcMessageOf(toBinary(schema, create(schema, message)));
}

async function* decodeEach<D extends DescMessage>(
  schema: D,
  incoming: Incoming<Chunks>,
): AsyncIterable<MessageShape<D>> {
  for await (const message of incoming) yield decodeMessage(schema, message);
}
