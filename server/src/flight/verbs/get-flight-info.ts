import type { Frames } from '../../frames/frames.ts';
import { handleOfDescriptor, isSqlCommand } from '../descriptor.ts';
import { flightInfoOf } from '../flight-info.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { type Method, unaryMethod } from '../method.ts';
import type { FlightSql } from '../sql/flight-sql.ts';

export function getFlightInfo(frames: Frames, sql: FlightSql, publicUrl: string | null): Method {
  return unaryMethod(FlightService.method.getFlightInfo, async (descriptor, call) => {
    if (isSqlCommand(descriptor)) return sql.flightInfo(descriptor, call);
    const record = await frames.resolve(call.caller, handleOfDescriptor(descriptor), call.signal);
    return { ...flightInfoOf(record, publicUrl), flightDescriptor: descriptor };
  });
}
