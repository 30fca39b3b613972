import { endOfStream, frameHeader, headerBytesOf, prefixBytes } from '../arrow/ipc/framing.ts';
import { messageBodyBytes, messageKind } from '../arrow/ipc/message.ts';
import { joinBytes } from '../arrow/join-bytes.ts';

/** One IPC message in memory: its flatbuffer header without framing, and its body. */
export interface IpcPiece {
  readonly header: Uint8Array;
  readonly body: Uint8Array;
}

/** The messages of a whole stream in memory, as views of it; the schema's header apart from the rest. */
export function splitStream(stream: Uint8Array): { schemaHeader: Uint8Array; pieces: IpcPiece[] } {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length);
  const messages: IpcPiece[] = [];
  for (let position = 0; position + prefixBytes <= stream.length; ) {
    const headerBytes = headerBytesOf(view, position);
    if (headerBytes === 0) break;
    const bodyPosition = position + prefixBytes + headerBytes;
    const header = stream.subarray(position + prefixBytes, bodyPosition);
    const end = bodyPosition + messageBodyBytes(header);
    messages.push({ header, body: stream.subarray(bodyPosition, end) });
    position = end;
  }
  const [first, ...pieces] = messages;
  if (first === undefined || messageKind(first.header) !== 'schema')
    throw new Error('a stream without schema');
  return { schemaHeader: first.header, pieces };
}

/** The header of a stream's first message: its schema. */
export function firstHeader(stream: Uint8Array): Uint8Array {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length);
  return stream.subarray(prefixBytes, prefixBytes + headerBytesOf(view, 0));
}

/** A whole stream out of a schema and messages. */
export function joinStream(schemaHeader: Uint8Array, pieces: readonly IpcPiece[]): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [frameHeader(schemaHeader)];
  for (const { header, body } of pieces) parts.push(frameHeader(header), body);
  parts.push(endOfStream);
  return joinBytes(parts);
}
