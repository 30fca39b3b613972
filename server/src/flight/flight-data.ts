import { FrameholdError } from '../model/errors.ts';
import { ByteCursor } from './byte-cursor.ts';
import type { Chunks } from './call.ts';
import { messagePrefixBytes } from './grpc-message.ts';

/**
 * FlightData by hand. A general protobuf library would copy every body twice; here a body stays in the pieces in which it
 * arrived, and goes out of the buffer into which it was read.
 */
export interface FlightData {
  /** The encoded FlightDescriptor, if there is one. */
  readonly descriptor: Uint8Array | null;
  /** The IPC message's flatbuffer, perhaps not padded. Empty for a message that carries only metadata. */
  readonly header: Uint8Array;
  readonly body: Chunks;
}

/** Field number and wire type 2 (length-delimited), as protobuf writes them. */
const descriptorTag = (1 << 3) | 2;
const headerTag = (2 << 3) | 2;
const bodyTag = (1000 << 3) | 2;

/** The protocol has four fields, each once; a gigabyte of tiny ones would keep the server's one thread busy for many seconds. */
const fieldsMax = 64;

/** A descriptor may have a statement in it, of 64 MiB by its setting, and a header a schema, which has less. They are joined, which a body is not. */
const joinedBytesMax = 65 * 1024 * 1024;

export function decodeFlightData(message: Chunks): FlightData {
  const cursor = new ByteCursor(message);
  let descriptor: Uint8Array | null = null;
  let header: Uint8Array = new Uint8Array(0);
  let body: Chunks = [];
  for (let fields = 0; !cursor.done; fields++) {
    if (fields === fieldsMax)
      throw new FrameholdError('bad_body', `Not a FlightData message: more than ${fieldsMax} fields.`);
    const tag = cursor.varint();
    if (tag === descriptorTag) descriptor = takeJoined(cursor);
    else if (tag === headerTag) header = takeJoined(cursor);
    else if (tag === bodyTag) body = cursor.take(cursor.varint());
    else skipField(cursor, tag & 7);
  }
  return { descriptor, header, body };
}

function takeJoined(cursor: ByteCursor): Uint8Array {
  const bytes = cursor.varint();
  if (bytes > joinedBytesMax)
    throw new FrameholdError('bad_body', `A descriptor or header of ${bytes} bytes is too large.`);
  return cursor.takeJoined(bytes);
}

/** app_metadata, and whatever a later version of the protocol adds, is talk around the rows and not kept. */
function skipField(cursor: ByteCursor, wireType: number): void {
  if (wireType === 0) cursor.varint();
  else if (wireType === 1) cursor.take(8);
  else if (wireType === 2) cursor.take(cursor.varint());
  else if (wireType === 5) cursor.take(4);
  else throw new FrameholdError('bad_body', `Not a FlightData message: wire type ${wireType}.`);
}

/** How a FlightData message with this header and a body of this size is laid out. */
export interface FlightDataLayout {
  /** The whole message, without gRPC's prefix. */
  readonly messageBytes: number;
  /** The header with the zeros behind it. */
  readonly paddedHeaderBytes: number;
  readonly bodyBytes: number;
  /** Where the body begins in the buffer, gRPC's prefix included. */
  readonly bodyOffset: number;
}

/**
 * Readers in C++ take a batch's buffers out of the message without copying them, so where the body begins in the message decides how they
 * are aligned. gRPC puts a message that came in several pieces 16 bytes into a block from malloc, which begins at a multiple of 16; a
 * large block begins 16 bytes into a page. With 32 more, buffers are aligned to 16 bytes, and those of large batches to 64.
 */
const bodyAlignment = 64;
const bodyRemainder = 32;

/** A flatbuffer may be followed by anything: zeros behind the header move the body to where it is aligned. */
export function layoutFlightData(headerBytes: number, bodyBytes: number): FlightDataLayout {
  const bodyHead = bodyBytes === 0 ? 0 : 2 + varintBytes(bodyBytes);
  let padded = headerBytes;
  let offset = 1 + varintBytes(padded) + padded + bodyHead;
  while (bodyBytes > 0 && offset % bodyAlignment !== bodyRemainder) {
    padded += 1;
    offset = 1 + varintBytes(padded) + padded + bodyHead;
  }
  return {
    messageBytes: offset + bodyBytes,
    paddedHeaderBytes: padded,
    bodyBytes,
    bodyOffset: messagePrefixBytes + offset,
  };
}

/** Writes everything but the body's own bytes into a buffer that was allocated for this layout. */
export function writeFlightDataHead(
  target: Buffer,
  header: Uint8Array,
  { paddedHeaderBytes, bodyBytes }: FlightDataLayout,
): void {
  let at = messagePrefixBytes;
  target[at++] = headerTag;
  at = writeVarint(target, at, paddedHeaderBytes);
  target.set(header, at);
  target.fill(0, at + header.length, at + paddedHeaderBytes);
  at += paddedHeaderBytes;
  if (bodyBytes === 0) return;
  at = writeVarint(target, at, bodyTag);
  writeVarint(target, at, bodyBytes);
}

function varintBytes(value: number): number {
  let bytes = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) bytes++;
  return bytes;
}

function writeVarint(target: Uint8Array, offset: number, value: number): number {
  let at = offset;
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) target[at++] = (rest % 128) | 128;
  target[at++] = rest;
  return at;
}
