import { frameHeader } from '../../arrow/framing.ts';
import type { Frames } from '../../frames/frames.ts';
import { handleOfDescriptor } from '../descriptor.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { type Method, unaryMethod } from '../method.ts';

export function getSchema(frames: Frames): Method {
  return unaryMethod(FlightService.method.getSchema, async (descriptor, call) => {
    const record = await frames.resolve(call.caller, handleOfDescriptor(descriptor), call.signal);
    return { schema: frameHeader(record.schema.message) };
  });
}
