import { Builder } from 'flatbuffers';
import type { Metadata } from '../field.ts';
import { encodeMetadata, finishMessage } from '../ipc/message-encoder.ts';

/** What the header of a batch says about its body. */
export interface BatchLayout {
  readonly length: number;
  readonly nodes: readonly { readonly length: number; readonly nullCount: number }[];
  /** From the beginning of the body; Arrow wants offsets that are multiples of 8. */
  readonly buffers: readonly { readonly offset: number; readonly length: number }[];
  /** How many data buffers each view column has. */
  readonly variadicCounts: readonly number[];
  readonly bodyBytes: number;
  /** Each buffer is compressed for itself, behind its length. Absent: none is. */
  readonly compression?: 'zstd';
}

export function encodeRecordBatchHeader(layout: BatchLayout, metadata: Metadata = []): Uint8Array {
  const builder = builderFor(layout);
  const entries = encodeMetadata(builder, metadata);
  return finishMessage(builder, 3, encodeBatch(builder, layout), layout.bodyBytes, entries);
}

export function encodeDictionaryHeader(
  id: bigint,
  delta: boolean,
  layout: BatchLayout,
  metadata: Metadata = [],
): Uint8Array {
  const builder = builderFor(layout);
  const entries = encodeMetadata(builder, metadata);
  const batch = encodeBatch(builder, layout);
  builder.startObject(3);
  builder.addFieldInt64(0, id, 0n);
  builder.addFieldOffset(1, batch, 0);
  builder.addFieldInt8(2, delta ? 1 : 0, 0);
  return finishMessage(builder, 2, builder.endObject(), layout.bodyBytes, entries);
}

function builderFor(layout: BatchLayout): Builder {
  return new Builder(256 + 16 * (layout.nodes.length + layout.buffers.length));
}

function encodeBatch(builder: Builder, layout: BatchLayout): number {
  builder.startVector(16, layout.nodes.length, 8);
  for (const node of layout.nodes.toReversed()) pair(builder, node.length, node.nullCount);
  const nodes = builder.endVector();
  builder.startVector(16, layout.buffers.length, 8);
  for (const buffer of layout.buffers.toReversed()) pair(builder, buffer.offset, buffer.length);
  const buffers = builder.endVector();
  let counts = 0;
  if (layout.variadicCounts.length > 0) {
    builder.startVector(8, layout.variadicCounts.length, 8);
    for (const count of layout.variadicCounts.toReversed()) builder.addInt64(BigInt(count));
    counts = builder.endVector();
  }
  const compression = layout.compression === undefined ? 0 : encodeZstd(builder);
  builder.startObject(5);
  builder.addFieldInt64(0, BigInt(layout.length), 0n);
  builder.addFieldOffset(1, nodes, 0);
  builder.addFieldOffset(2, buffers, 0);
  builder.addFieldOffset(3, compression, 0);
  builder.addFieldOffset(4, counts, 0);
  return builder.endObject();
}

/** BodyCompression: codec 1 is zstd, and the method, each buffer for itself, is the default. */
function encodeZstd(builder: Builder): number {
  builder.startObject(2);
  builder.addFieldInt8(0, 1, 0);
  return builder.endObject();
}

/** A struct of two 64-bit numbers; flatbuffers are written from the back. */
function pair(builder: Builder, first: number, second: number): void {
  builder.prep(8, 16);
  builder.writeInt64(BigInt(second));
  builder.writeInt64(BigInt(first));
}
