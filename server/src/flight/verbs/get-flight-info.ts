import type { Frames } from '../../frames/frames.ts';
import { handleOfDescriptor } from '../descriptor.ts';
import { flightInfoOf } from '../flight-info.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { type Method, unaryMethod } from '../method.ts';

export function getFlightInfo(frames: Frames, publicUrl: string | null): Method {
  return unaryMethod(FlightService.method.getFlightInfo, async (descriptor, call) => {
    const record = await frames.resolve(call.caller, handleOfDescriptor(descriptor), call.signal);
    return { ...flightInfoOf(record, publicUrl), flightDescriptor: descriptor };
  });
}
