import type { BodyRange } from '../../arrow/batches/partial-batch.ts';
import type { Schema } from '../../arrow/field.ts';
import { SyncFileSource } from '../../arrow/ipc/file-source.ts';
import { type DictionaryMessage, parseMessage, type RecordBatchMessage } from '../../arrow/ipc/message.ts';
import { type FramedMessage, MessageReader } from '../../arrow/ipc/message-reader.ts';
import type { SeekPoint } from '../positions/arrow-positions.ts';
import type { RowWindow } from './row-window.ts';

/** One message of an Arrow file that matters for the rows wanted: every dictionary, and batches with such rows. */
export interface ArrowStep {
  readonly message: DictionaryMessage | RecordBatchMessage;
  readonly framed: FramedMessage;
  /** Some bytes of the body. */
  readonly readRange: BodyRange;
  /** Rows of a batch; both 0 for a dictionary. */
  readonly from: number;
  readonly to: number;
}

/** A dictionary that is read alone: its header and, if it is small, its body. */
const aloneBytes = 16 * 1024;

/** Goes through a file, from the seek point on, as far as the window needs; bodies are read only if they are wanted. */
export async function* arrowSteps(
  path: string,
  window: RowWindow,
  seek: SeekPoint | null,
): AsyncGenerator<ArrowStep, void, void> {
  using source = new SyncFileSource(path);
  for (const position of seek?.dictionaries ?? []) {
    const framed = await new MessageReader(source, { position, windowBytes: aloneBytes }).next();
    const message = framed === null ? null : parseMessage(framed.header);
    if (framed === null || message?.kind !== 'dictionary')
      throw new Error('a dictionary is not where it was');
    yield { message, framed, readRange: rangeOf(source, framed), from: 0, to: 0 };
  }
  const reader = new MessageReader(source, { position: seek?.position ?? 0 });
  while (window.remaining > 0) {
    const framed = await reader.next();
    if (framed === null) return;
    const message = parseMessage(framed.header);
    if (message.kind === 'schema') continue;
    const readRange = rangeOf(source, framed);
    if (message.kind === 'dictionary') {
      yield { message, framed, readRange, from: 0, to: 0 };
      continue;
    }
    const { from, to } = window.take(message.batch.length);
    if (from < to) yield { message, framed, readRange, from, to };
  }
}

function rangeOf(source: SyncFileSource, { bodyPosition }: FramedMessage): BodyRange {
  return (offset, byteCount) => source.exactly(bodyPosition + offset, byteCount);
}

export function schemaOf(schemaMessage: Uint8Array): Schema {
  const message = parseMessage(schemaMessage);
  if (message.kind !== 'schema') throw new Error('not a schema message');
  return message.schema;
}
