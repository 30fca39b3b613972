import { frameHeader } from '../../arrow/ipc/framing.ts';
import type { Frames } from '../../frames/frames.ts';
import { frameOfDescriptor, isSqlCommand } from '../descriptor.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { type Method, unaryMethod } from '../method.ts';
import type { FlightSql } from '../sql/flight-sql.ts';

export function getSchema(frames: Frames, sql: FlightSql): Method {
  return unaryMethod(FlightService.method.getSchema, async (descriptor, call) => {
    if (isSqlCommand(descriptor)) return { schema: frameHeader(await sql.schema(descriptor, call)) };
    const { handle } = frameOfDescriptor(descriptor);
    const record = await frames.resolve(call.caller, handle, call.signal);
    return { schema: frameHeader(record.schema.message) };
  });
}
