import { FrameholdError } from '../../model/errors.ts';
import type { ArrayData } from '../arrays/array-data.ts';
import { readBatch } from '../batches/batch.ts';
import { Dictionaries } from '../batches/dictionaries.ts';
import { StreamCheck, type StreamReport } from '../check/stream-check.ts';
import { headerBytesOf, prefixBytes } from '../ipc/framing.ts';
import { parseMessage } from '../ipc/message.ts';
import { MalformedArrow } from '../malformed-arrow.ts';

/** A row of parameters: the chosen columns of its batch, and its place in them. */
export interface ArrowRow {
  readonly columns: readonly ArrayData[];
  readonly row: number;
}

/**
 * The rows of an Arrow stream. `order` is given the names of the columns and says which column belongs to which parameter. The stream is
 * untrusted: it is checked as a whole before the first row. A batch that unpacks to more than `unpackedBytesMax` is a mistake, or meant to do harm.
 */
export function* arrowRows(
  stream: Uint8Array,
  order: (columns: readonly string[]) => readonly number[],
  unpackedBytesMax: number,
): Generator<ArrowRow, void, void> {
  const { schema } = checked(stream, unpackedBytesMax);
  const columns = order(schema.fields.map((field) => field.name));
  const dictionaries = new Dictionaries(schema);
  const view = new DataView(stream.buffer, stream.byteOffset, stream.length);
  let position = 0;
  for (;;) {
    const headerBytes = headerBytesOf(view, position);
    if (headerBytes === 0) return;
    const bodyPosition = position + prefixBytes + headerBytes;
    const message = parseMessage(stream.subarray(position + prefixBytes, bodyPosition));
    position = bodyPosition + message.bodyBytes;
    const body = stream.subarray(bodyPosition, position);
    if (message.kind === 'dictionary') dictionaries.add(message, body, { unpackedBytesMax });
    if (message.kind !== 'record-batch') continue;
    const options = { columns, unpackedBytesMax };
    const batch = readBatch(schema.fields, message.batch, body, dictionaries.current(), options);
    for (let row = 0; row < batch.length; row++) yield { columns: batch.columns, row };
  }
}

function checked(stream: Uint8Array, unpackedBytesMax: number): StreamReport {
  const readSync = (target: Uint8Array, position: number): number => {
    const part = stream.subarray(position, position + target.length);
    target.set(part);
    return part.length;
  };
  try {
    return new StreamCheck({ readSync }, { unpackedBytesMax }).finish(stream.length);
  } catch (thrown) {
    if (!(thrown instanceof MalformedArrow)) throw thrown;
    throw new FrameholdError('bad_body', `The parameters are not an Arrow stream: ${thrown.message}.`, {
      cause: thrown,
    });
  }
}
