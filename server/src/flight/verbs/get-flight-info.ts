import type { Frames } from '../../frames/frames.ts';
import { frameOfDescriptor, isSqlCommand } from '../descriptor.ts';
import { flightInfoOf } from '../flight-info.ts';
import type { FrameLocations } from '../frame-locations.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { type Method, unaryMethod } from '../method.ts';
import type { FlightSql } from '../sql/flight-sql.ts';

export function getFlightInfo(frames: Frames, sql: FlightSql, locations: FrameLocations): Method {
  return unaryMethod(FlightService.method.getFlightInfo, async (descriptor, call) => {
    if (isSqlCommand(descriptor)) return sql.flightInfo(descriptor, call);
    const { handle, endpoints } = frameOfDescriptor(descriptor);
    const { record, ranges } = await frames.split(call.caller, handle, endpoints, call.signal);
    return { ...flightInfoOf(record, locations, ranges), flightDescriptor: descriptor };
  });
}
