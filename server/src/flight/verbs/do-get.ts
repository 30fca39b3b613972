import type { BufferPool } from '../../base/buffer-pool.ts';
import type { Frames } from '../../frames/frames.ts';
import type { IpcMessage, Renderer } from '../../ports/renderer.ts';
import type { CutMessage, Outgoing } from '../call.ts';
import { layoutFlightData, writeFlightDataHead } from '../flight-data.ts';
import { decodeFrameTicket } from '../frame-ticket.ts';
import { FlightService, TicketSchema } from '../gen/Flight_pb.js';
import { checkMessageBytes, type GrpcMessage, messagePrefixBytes, sealMessage } from '../grpc-message.ts';
import { decodeMessage, type Method, methodPath, onlyMessage } from '../method.ts';
import { looksLikeAny } from '../sql/any-message.ts';
import type { FlightSql } from '../sql/flight-sql.ts';

/** Sends a version's messages as they were put, a range of its rows, or the rows of a query as they are made. */
export function doGet(frames: Frames, renderer: Renderer, sql: FlightSql, pool: BufferPool): Method {
  return {
    path: methodPath(FlightService.method.doGet),
    async serve(incoming, outgoing, call) {
      const { ticket } = decodeMessage(TicketSchema, await onlyMessage(incoming));
      if (looksLikeAny(ticket)) {
        const rows = await sql.rows(ticket, call);
        try {
          await sendMessages(rows.schemaMessage, rows.messages, outgoing, pool);
        } finally {
          await rows.release();
        }
        return;
      }
      const { handle, range } = decodeFrameTicket(ticket);
      const reading = await frames.read(call.caller, handle, range, call.signal);
      try {
        const schema = await renderer.schemaMessage(reading);
        await sendMessages(schema, renderer.messages(reading, call.signal), outgoing, pool);
      } finally {
        reading.release();
      }
    },
  };
}

/** A body of this size is sent out of the memory that it is in. */
const passedBytesMin = 256 * 1024;

/** While one message is on its way the next is read, straight into the buffer that it is sent from; what is in memory is made ahead by its source. */
async function sendMessages(
  schema: Uint8Array,
  messages: AsyncIterable<IpcMessage>,
  outgoing: Outgoing<GrpcMessage>,
  pool: BufferPool,
): Promise<void> {
  let last: CutMessage | null = null;
  let sending = begun(outgoing.send((await encodeIpcMessage(schemaOnly(schema), pool)).grpcMessage));
  for await (const message of messages) {
    const body = message.bodyBytes >= passedBytesMin ? message.peekBody?.() : undefined;
    if (body !== undefined) {
      await sending;
      await outgoing.sendPieces(encodeHead(message), body);
      continue;
    }
    const { grpcMessage, bodyOffset } = await encodeIpcMessage(message, pool);
    await sending;
    last = outgoing.sendCut(grpcMessage, bodyOffset);
    begun(last.sent.then(() => pool.give(grpcMessage)));
    sending = begun(last.begun);
  }
  await sending;
  await last?.sent;
}

/** A promise that is awaited later, or never if reading fails first: its rejection must not count as forgotten in between. */
function begun(work: Promise<void>): Promise<void> {
  work.catch(() => {});
  return work;
}

async function encodeIpcMessage(message: IpcMessage, pool: BufferPool): Promise<EncodedMessage> {
  const layout = layoutFlightData(message.header.length, message.bodyBytes);
  checkMessageBytes(layout.messageBytes);
  const buffer = pool.take(messagePrefixBytes + layout.messageBytes);
  writeFlightDataHead(buffer, message.header, layout);
  if (message.bodyBytes > 0) await message.readBody(buffer.subarray(layout.bodyOffset));
  return { grpcMessage: sealMessage(buffer), bodyOffset: layout.bodyOffset };
}

/** All but the body. */
function encodeHead({ header, bodyBytes }: IpcMessage): GrpcMessage {
  const layout = layoutFlightData(header.length, bodyBytes);
  checkMessageBytes(layout.messageBytes);
  const buffer = Buffer.allocUnsafe(layout.bodyOffset);
  writeFlightDataHead(buffer, header, layout);
  return sealMessage(buffer, bodyBytes);
}

interface EncodedMessage {
  readonly grpcMessage: GrpcMessage;
  readonly bodyOffset: number;
}

function schemaOnly(header: Uint8Array): IpcMessage {
  return { header, bodyBytes: 0, readBody: async () => {} };
}
