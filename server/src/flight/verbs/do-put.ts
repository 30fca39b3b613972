import { endOfStream, frameHeader } from '../../arrow/ipc/framing.ts';
import type { Frames } from '../../frames/frames.ts';
import { FrameholdError } from '../../model/errors.ts';
import { manifestOf } from '../../model/manifest.ts';
import type { Call, Chunks, Incoming } from '../call.ts';
import { refuseConditions } from '../conditions.ts';
import { isSqlCommand } from '../descriptor.ts';
import { decodeFlightData, type FlightData } from '../flight-data.ts';
import {
  type FlightDescriptor,
  FlightDescriptorSchema,
  FlightService,
  PutResultSchema,
} from '../gen/Flight_pb.js';
import { decodeMessage, encodeMessage, type Method, methodPath } from '../method.ts';
import { putTargetOf } from '../put-target.ts';
import type { FlightSql } from '../sql/flight-sql.ts';

type Messages = AsyncGenerator<FlightData, void, void>;

/** Stores what the client sends, byte for byte, and answers once it is durable; or takes a command of Flight SQL. */
export function doPut(frames: Frames, sql: FlightSql): Method {
  return {
    path: methodPath(FlightService.method.doPut),
    async serve(incoming, outgoing, call) {
      const messages = decodeEach(incoming);
      const first = await messages.next();
      if (first.done === true) throw nothingSent();
      const descriptor = descriptorOf(first.value);
      const appMetadata = isSqlCommand(descriptor)
        ? await sql.put(descriptor.cmd, withFirst(first.value, messages), call)
        : await put(frames, descriptor, first.value, messages, call);
      await outgoing.send(encodeMessage(PutResultSchema, { appMetadata }));
    },
  };
}

/** Gives the manifest of what was put. */
async function put(
  frames: Frames,
  descriptor: FlightDescriptor | null,
  first: FlightData,
  messages: Messages,
  call: Call,
): Promise<Uint8Array> {
  if (first.header.length === 0) throw noSchema();
  refuseConditions(call, 'A put has mode, ifVersion and idempotencyKey in its descriptor.');
  const session = await frames.beginPut(call.caller, putTargetOf(descriptor), call.signal);
  try {
    for await (const message of withFirst(first, messages)) {
      if (message.header.length > 0) await session.write(ipcMessage(message));
    }
    await call.confirmEnd();
    await session.write([endOfStream]);
    const { record } = await session.finish();
    return Buffer.from(JSON.stringify(manifestOf(record)));
  } finally {
    await session.abort();
  }
}

function descriptorOf({ descriptor }: FlightData): FlightDescriptor | null {
  return descriptor === null ? null : decodeMessage(FlightDescriptorSchema, [descriptor]);
}

/** The message as an IPC stream has it. Over Flight clients send headers without their padding. */
function ipcMessage({ header, body }: FlightData): Chunks {
  return [frameHeader(header), ...body];
}

async function* decodeEach(incoming: Incoming<Chunks>): Messages {
  for await (const message of incoming) yield decodeFlightData(message);
}

async function* withFirst(first: FlightData, messages: Messages): Messages {
  yield first;
  yield* messages;
}

/** What ADBC (1.13) does with a table that has no rows: neither the name nor the columns are sent. */
function nothingSent(): FrameholdError {
  return new FrameholdError('bad_body', 'The put is empty: it has no schema and names no table.', {
    hint: 'ADBC sends nothing for a table without rows. Make one with SQL: CREATE OR REPLACE TABLE name AS SELECT 0 AS a WHERE false.',
  });
}

function noSchema(): FrameholdError {
  return new FrameholdError('bad_body', 'The put has no schema.', {
    hint: 'The first message carries the descriptor and the schema.',
  });
}
