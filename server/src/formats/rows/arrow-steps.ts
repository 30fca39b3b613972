import type { BodyRange } from '../../arrow/batches/partial-batch.ts';
import type { Schema } from '../../arrow/field.ts';
import { SyncFileSource } from '../../arrow/ipc/file-source.ts';
import { type DictionaryMessage, parseMessage, type RecordBatchMessage } from '../../arrow/ipc/message.ts';
import { type FramedMessage, MessageReader } from '../../arrow/ipc/message-reader.ts';
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

/** Goes through a file as far as the window needs; bodies are read only if they are wanted. */
export async function* arrowSteps(path: string, window: RowWindow): AsyncGenerator<ArrowStep, void, void> {
  using source = new SyncFileSource(path);
  const reader = new MessageReader(source);
  while (window.remaining > 0) {
    const framed = await reader.next();
    if (framed === null) return;
    const message = parseMessage(framed.header);
    if (message.kind === 'schema') continue;
    const readRange: BodyRange = (offset, byteCount) =>
      source.exactly(framed.bodyPosition + offset, byteCount);
    if (message.kind === 'dictionary') {
      yield { message, framed, readRange, from: 0, to: 0 };
      continue;
    }
    const { from, to } = window.take(message.batch.length);
    if (from < to) yield { message, framed, readRange, from, to };
  }
}

export function schemaOf(schemaMessage: Uint8Array): Schema {
  const message = parseMessage(schemaMessage);
  if (message.kind !== 'schema') throw new Error('not a schema message');
  return message.schema;
}
