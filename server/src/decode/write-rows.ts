import { encodeSchema } from '../arrow/ipc/schema-encoder.ts';
import { StreamFile } from '../arrow/stream-file.ts';
import type { DecodeRequest } from '../ports/codec.ts';
import type { CellBlock } from './cells/cell-block.ts';
import { batchIsFull, type ColumnBuilder } from './cells/column-builder.ts';

/** A text that is read block by block into columns, whose types may turn out to be others. */
export interface BlockReading<Block extends CellBlock> {
  /** Known with the first block. */
  readonly columns: readonly { readonly builder: ColumnBuilder }[];
  /** The rows from the first one on. */
  blocks(signal: AbortSignal): AsyncGenerator<Block, void, void>;
  /** Appends the rows to the columns. False if a type had to change: the rows before have been read with another. */
  take(block: Block): boolean;
}

/** Writes the stream. False if the types turned out to be others: they are known then. */
export async function writeRows<Block extends CellBlock>(
  reading: BlockReading<Block>,
  request: Pick<DecodeRequest, 'target' | 'targetBytesMax'>,
  signal: AbortSignal,
): Promise<boolean> {
  let target: StreamFile | null = null;
  const begin = async () =>
    StreamFile.create(
      request.target,
      encodeSchema({ fields: reading.columns.map(({ builder }) => builder.field), metadata: [] }),
      request.targetBytesMax,
    );
  try {
    let rows = 0;
    let isRight = true;
    const flush = async () => {
      const batch = reading.columns.map(({ builder }) => builder.take());
      if (isRight && rows > 0) await target?.batch(rows, batch);
      rows = 0;
    };
    for await (const block of reading.blocks(signal)) {
      target ??= await begin();
      if (!reading.take(block)) isRight = false;
      rows += block.rows;
      const full = batchIsFull(
        rows,
        reading.columns.map(({ builder }) => builder),
      );
      if (full || !isRight) await flush();
    }
    target ??= await begin();
    await flush();
    if (isRight) await target.end();
    return isRight;
  } finally {
    await target?.[Symbol.asyncDispose]();
  }
}
