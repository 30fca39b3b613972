import type { Field } from '../../arrow/field.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { isView } from '../../model/types/type-table.ts';
import type { IpcPiece } from '../../parquet/ipc-piece.ts';

/** Up to here, to write a result takes less than to hand it to another thread and the text back: well below a millisecond. */
const bytesMax = 8 * 1024;
const cellsMax = 2_048;

/** The beginning of a stream: all of it, if it is small. */
export interface Beginning<Piece> {
  readonly pieces: readonly Piece[];
  /** What follows; null if nothing does. */
  readonly rest: AsyncIterator<Piece> | null;
}

/** Takes pieces as long as all of them together are small. */
export async function takeBeginning<Piece extends IpcPiece>(
  stream: AsyncIterable<Piece>,
  columns: number,
): Promise<Beginning<Piece>> {
  const iterator = stream[Symbol.asyncIterator]();
  const pieces: Piece[] = [];
  let bytes = 0;
  let cells = 0;
  for (let step = await iterator.next(); !step.done; step = await iterator.next()) {
    pieces.push(step.value);
    bytes += step.value.body.length;
    cells += cellsOf(step.value.header, columns);
    if (bytes > bytesMax || cells > cellsMax) return { pieces, rest: iterator };
  }
  return { pieces, rest: null };
}

/** Infinite for what is not plain rows: a compressed body says nothing about the size of its text. */
function cellsOf(header: Uint8Array, columns: number): number {
  const message = parseMessage(header);
  if (message.kind !== 'record-batch' || message.batch.compression !== 'none')
    return Number.POSITIVE_INFINITY;
  return message.batch.length * columns;
}

/** Whether the text of a value is about as long as its bytes. What shares bytes between cells, or counts elements without any, can be far longer. */
export function isPlain({ type, children, dictionary }: Field): boolean {
  if (dictionary !== null || children.length > 0) return false;
  return !isView(type);
}

/** The stream once more, from its beginning. Whoever took the beginning returns the rest. */
export async function* wholeOf<Piece>({ pieces, rest }: Beginning<Piece>): AsyncGenerator<Piece, void, void> {
  yield* pieces;
  if (rest === null) return;
  for (let step = await rest.next(); !step.done; step = await rest.next()) yield step.value;
}
