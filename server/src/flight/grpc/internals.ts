import type { Http2Server, ServerHttp2Session, ServerHttp2Stream, ServerOptions } from 'node:http2';
import type { Server, ServerInterceptingCallInterface } from '@grpc/grpc-js';
import { ChunkedMessage, MessageDecoder } from './message-decoder.ts';
import type { MessageInflater } from './message-inflater.ts';
import type { CallMemory } from './message-memory.ts';

/**
 * Everything here reaches into grpc-js 1.14.7 past its public interface, for speed and memory, and once for a fault of its own. Each piece is checked before
 * it is used. If it is missing, the public interface serves instead, and a test fails, so that an upgrade cannot go unnoticed.
 */
export interface CallInternals {
  /** Messages go to the HTTP/2 stream unchanged; otherwise grpc-js copies each into a buffer of its own. */
  readonly sendsDirectly: boolean;
  /** Replaces grpc-js's decoder, which joins every message; null if grpc-js's own is in use. */
  readonly decoder: MessageDecoder | null;
  /** The HTTP/2 stream below, to distinguish a client that has finished from one that went away. */
  readonly stream: ServerHttp2Stream | null;
}

export interface CallLimits {
  readonly messageBytesMax: number;
  readonly memory: CallMemory;
  readonly inflater: MessageInflater;
}

export function openCallInternals(call: ServerInterceptingCallInterface, limits: CallLimits): CallInternals {
  const inner = call as unknown as Record<string, unknown>;
  return {
    sendsDirectly: sendUnchanged(inner),
    decoder: replaceDecoder(inner, limits),
    stream: isStream(inner.stream) ? inner.stream : null,
  };
}

function sendUnchanged(inner: Record<string, unknown>): boolean {
  if (typeof inner.serializeMessage !== 'function') return false;
  inner.serializeMessage = (message: Buffer) => message;
  return true;
}

function replaceDecoder(
  inner: Record<string, unknown>,
  { messageBytesMax, memory, inflater }: CallLimits,
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

/** HTTP/2 options for every later connection; false if grpc-js no longer takes them this way. */
export function setHttp2Options(server: Server, { settings, ...options }: ServerOptions): boolean {
  const common = (server as unknown as { commonServerOptions?: ServerOptions }).commonServerOptions;
  if (typeof common !== 'object') return false;
  Object.assign(common, options, { settings: { ...common.settings, ...settings } });
  return true;
}

type OnStream = (stream: ServerHttp2Stream, ...rest: unknown[]) => void;

/**
 * If a client opens a call and resets it at once, the call is announced after its stream is gone. grpc-js still answers it if its content type
 * or method is unknown; that throws outside of any call and ends the process. Calls that are refused before it are skipped as well. False if grpc-js no longer
 * listens this way.
 */
export function skipStreams(server: Server, refuses: (stream: ServerHttp2Stream) => boolean): boolean {
  const servers = http2ServersOf(server);
  for (const http2Server of servers) {
    const listeners = http2Server.listeners('stream') as OnStream[];
    http2Server.removeAllListeners('stream');
    http2Server.on('stream', (stream, ...rest) => {
      // The end of the stream says why it ended; an error without a listener would end the process, too.
      stream.on('error', () => {});
      if (stream.destroyed || stream.closed || refuses(stream)) return;
      for (const listener of listeners) listener.call(http2Server, stream, ...rest);
    });
  }
  return servers.length > 0;
}

/** Calls back with every later session; false if grpc-js no longer keeps its HTTP/2 servers this way. */
export function onHttp2Session(server: Server, listener: (session: ServerHttp2Session) => void): boolean {
  const servers = http2ServersOf(server);
  for (const http2Server of servers) http2Server.on('session', listener);
  return servers.length > 0;
}

function http2ServersOf(server: Server): readonly Http2Server[] {
  const servers = (server as unknown as { http2Servers?: Map<Http2Server, unknown> }).http2Servers;
  return servers instanceof Map ? [...servers.keys()] : [];
}
