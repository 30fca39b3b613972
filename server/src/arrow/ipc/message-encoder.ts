import type { Builder } from 'flatbuffers';
import type { Metadata } from '../field.ts';
import { encodeText } from '../text.ts';

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

/** Keys and values of a schema, field or message; 0, which is no offset, if there are none. */
export function encodeMetadata(builder: Builder, metadata: Metadata): number {
  if (metadata.length === 0) return 0;
  const entries = metadata.map(([key, value]) => {
    const keyText = builder.createString(encodeText(key));
    const valueText = builder.createString(encodeText(value));
    builder.startObject(2);
    builder.addFieldOffset(0, keyText, 0);
    builder.addFieldOffset(1, valueText, 0);
    return builder.endObject();
  });
  return offsetVector(builder, entries);
}

export function offsetVector(builder: Builder, offsets: readonly number[]): number {
  builder.startVector(4, offsets.length, 4);
  for (const offset of offsets.toReversed()) builder.addOffset(offset);
  return builder.endVector();
}
