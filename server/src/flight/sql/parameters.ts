import { endOfStream, frameHeader } from '../../arrow/ipc/framing.ts';
import { type Message, parseMessage } from '../../arrow/ipc/message.ts';
import { MalformedArrow } from '../../arrow/malformed-arrow.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { BoundParameters } from '../../ports/prepared-statements.ts';
import { byteLength } from '../byte-cursor.ts';
import type { FlightData } from '../flight-data.ts';

/** Rows of parameters as a client sent them. */
export interface SentParameters {
  /** 0 if the client has nothing to bind: many send an empty batch then. */
  readonly columns: number;
  readonly rows: number;
  readonly stream: Uint8Array;
}

/** Takes the stream whole, up to so many bytes: parameters are for statements, rows in numbers are put or ingested. */
export async function collectParameters(
  messages: AsyncIterable<FlightData>,
  bytesMax: number,
): Promise<SentParameters> {
  const pieces: Uint8Array[] = [];
  let columns = 0;
  let rows = 0;
  let bytes = 0;
  for await (const { header, body } of messages) {
    if (header.length === 0) continue;
    bytes += header.length + byteLength(body);
    if (bytes > bytesMax) {
      throw new FrameholdError('body_too_large', `The parameters have more than ${bytesMax} bytes.`, {
        hint: 'Ingest the rows as a table (adbc_ingest, to_sql, write_database), or send fewer at once.',
      });
    }
    const message = readHeader(header);
    if (message.kind === 'schema') columns = message.schema.fields.length;
    if (message.kind === 'record-batch') rows += message.batch.length;
    pieces.push(frameHeader(header), ...body);
  }
  return { columns, rows, stream: Buffer.concat([...pieces, endOfStream]) };
}

export function boundParameters({ columns, rows, stream }: SentParameters): BoundParameters | null {
  return columns > 0 && rows > 0 ? { kind: 'arrow', stream } : null;
}

export function readHeader(header: Uint8Array): Message {
  try {
    return parseMessage(header);
  } catch (error) {
    if (error instanceof MalformedArrow)
      throw new FrameholdError('bad_body', `Not an Arrow message: ${error.message}.`, { cause: error });
    throw error;
  }
}
