import { endOfStream, frameHeader } from '../../arrow/framing.ts';
import { FrameholdError } from '../../frames/errors.ts';
import type { Frames, PutSession } from '../../frames/frames.ts';
import { manifestOf } from '../../frames/manifest.ts';
import type { Call, Chunks, Incoming } from '../call.ts';
import { decodeFlightData, type FlightData } from '../flight-data.ts';
import { FlightDescriptorSchema, FlightService, PutResultSchema } from '../gen/Flight_pb.js';
import { decodeMessage, encodeMessage, type Method, methodPath } from '../method.ts';
import { putTargetOf } from '../put-target.ts';

/** Stores what the client sends, byte for byte, and answers once it is durable. */
export function doPut(frames: Frames): Method {
  return {
    path: methodPath(FlightService.method.doPut),
    async serve(incoming, outgoing, call) {
      const messages = decodeEach(incoming);
      const first = await firstMessage(messages);
      const session = await beginPut(frames, first, call);
      try {
        await session.write(ipcMessage(first));
        for await (const message of messages) {
          if (message.header.length > 0) await session.write(ipcMessage(message));
        }
        await call.confirmEnd();
        await session.write([endOfStream]);
        const { record } = await session.finish();
        const manifest = Buffer.from(JSON.stringify(manifestOf(record)));
        await outgoing.send(encodeMessage(PutResultSchema, { appMetadata: manifest }));
      } finally {
        await session.abort();
      }
    },
  };
}

function beginPut(frames: Frames, first: FlightData, call: Call): Promise<PutSession> {
  const descriptor =
    first.descriptor === null ? null : decodeMessage(FlightDescriptorSchema, [first.descriptor]);
  return frames.beginPut(call.caller, putTargetOf(descriptor), call.signal);
}

/** The message as an IPC stream has it. Over Flight clients send headers without their padding. */
function ipcMessage({ header, body }: FlightData): Chunks {
  return [frameHeader(header), ...body];
}

async function* decodeEach(incoming: Incoming<Chunks>): AsyncGenerator<FlightData, void, void> {
  for await (const message of incoming) yield decodeFlightData(message);
}

async function firstMessage(messages: AsyncGenerator<FlightData, void, void>): Promise<FlightData> {
  const first = await messages.next();
  if (first.done !== true && first.value.header.length > 0) return first.value;
  throw new FrameholdError('bad_body', 'The put has no schema.', {
    hint: 'The first message carries the descriptor and the schema.',
  });
}
