import type { Http2Server, ServerHttp2Session, ServerHttp2Stream, ServerOptions } from 'node:http2';
import type { Server, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { ChunkedMessage, MessageDecoder } from './message-decoder.ts';
import type { MessageInflater } from './message-inflater.ts';
import type { CallMemory } from './message-memory.ts';

/**
 * Everything here reaches into grpc-js 1.14.7 past its public interface, for speed and memory, and once for a fault of its own. Each piece is looked for before
 * it is used, and where it is gone the public way serves instead; a test fails then, so that nobody upgrades unawares.
 */
export interface CallInternals {
  /** Frames go to the HTTP/2 stream as they are; else grpc-js copies each into a buffer of its own. */
  readonly directFrames: boolean;
  /** Replaces grpc-js's decoder, which joins every message; null where grpc-js's own is in use. */
  readonly decoder: MessageDecoder | null;
  /** The HTTP/2 stream below, to tell a finished client from one that went away. */
  readonly stream: ServerHttp2Stream | null;
}

export interface CallBounds {
  readonly messageBytesMax: number;
  readonly memory: CallMemory;
  readonly inflater: MessageInflater;
}

export function openCallInternals(call: ServerInterceptingCallInterface, bounds: CallBounds): CallInternals {
  const inner = call as unknown as Record<string, unknown>;
  return {
    directFrames: sendFramesAsTheyAre(inner),
    decoder: replaceDecoder(inner, bounds),
    stream: isStream(inner.stream) ? inner.stream : null,
  };
}

function sendFramesAsTheyAre(inner: Record<string, unknown>): boolean {
  if (typeof inner.serializeMessage !== 'function') return false;
  inner.serializeMessage = (frame: Buffer) => frame;
  return true;
}

function replaceDecoder(
  inner: Record<string, unknown>,
  { messageBytesMax, memory, inflater }: CallBounds,
): MessageDecoder | null {
  const own = inner.decoder as { readonly write?: unknown; readonly readState?: unknown } | undefined;
  const known = typeof own?.write === 'function' && own.readState === 0 && 'decompressMessage' in inner;
  if (!known) return null;
  const decoder = new MessageDecoder(messageBytesMax, memory);
  inner.decoder = decoder;
  inner.decompressMessage = (message: ChunkedMessage | Buffer, encoding: string) =>
    message instanceof ChunkedMessage
      ? message
      : inflater.inflate(message, encoding, memory, messageBytesMax);
  return decoder;
}

function isStream(value: unknown): value is ServerHttp2Stream {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'closed' in value;
}

/** HTTP/2 options for every connection to come; false where grpc-js no longer takes them this way. */
export function setHttp2Options(server: Server, { settings, ...options }: ServerOptions): boolean {
  const common = (server as unknown as { commonServerOptions?: ServerOptions }).commonServerOptions;
  if (typeof common !== 'object') return false;
  Object.assign(common, options, { settings: { ...common.settings, ...settings } });
  return true;
}

type OnStream = (stream: ServerHttp2Stream, ...rest: unknown[]) => void;

/**
 * A call that its client resets in the same breath is announced when its stream is gone, and grpc-js answers it all the same if its content type
 * or its method is not one: that throws, outside of any call, and ends the process. False where grpc-js no longer listens this way.
 */
export function skipClosedStreams(server: Server): boolean {
  const servers = http2ServersOf(server);
  for (const http2Server of servers) {
    const listeners = http2Server.listeners('stream') as OnStream[];
    http2Server.removeAllListeners('stream');
    http2Server.on('stream', (stream, ...rest) => {
      // What ends it is told by its end; an error that nobody listens for ends the process, too.
      stream.on('error', () => {});
      if (stream.destroyed || stream.closed) return;
      for (const listener of listeners) listener.call(http2Server, stream, ...rest);
    });
  }
  return servers.length > 0;
}

/** Calls back with every session to come; false where grpc-js no longer keeps its HTTP/2 servers this way. */
export function onHttp2Session(server: Server, listener: (session: ServerHttp2Session) => void): boolean {
  const servers = http2ServersOf(server);
  for (const http2Server of servers) http2Server.on('session', listener);
  return servers.length > 0;
}

function http2ServersOf(server: Server): readonly Http2Server[] {
  const servers = (server as unknown as { http2Servers?: Map<Http2Server, unknown> }).http2Servers;
  return servers instanceof Map ? [...servers.keys()] : [];
}
