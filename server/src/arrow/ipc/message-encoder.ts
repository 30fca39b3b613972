import type { Builder } from 'flatbuffers';

const metadataVersion5 = 4;

/** Wraps a schema, dictionary or record batch table in a message and gives the header's bytes. */
export function finishMessage(
  builder: Builder,
  kindNumber: number,
  content: number,
  bodyBytes: number,
  /** As `encodeMetadata` gave it. */
  metadata = 0,
): Uint8Array {
  builder.startObject(5);
  builder.addFieldInt16(0, metadataVersion5, 0);
  builder.addFieldInt8(1, kindNumber, 0);
  builder.addFieldOffset(2, content, 0);
  builder.addFieldInt64(3, BigInt(bodyBytes), 0n);
  builder.addFieldOffset(4, metadata, 0);
  builder.finish(builder.endObject());
  return builder.asUint8Array().slice();
}
