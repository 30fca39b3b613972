import { everyFrame } from '../../frames/every-frame.ts';
import type { Frames } from '../../frames/frames.ts';
import { FrameholdError } from '../../model/errors.ts';
import { flightInfoOf } from '../flight-info.ts';
import type { FrameLocations } from '../frame-locations.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { type Method, streamingMethod } from '../method.ts';

/** Large enough that the catalog is asked rarely, small enough to stay off the heap's large side. */
const pageLimit = 100;
/** A prefix longer than a name matches nothing. */
const prefixBytesMax = 128;

/** Every name with its newest version; the criteria is a prefix of the name. */
export function listFlights(frames: Frames, locations: FrameLocations): Method {
  return streamingMethod(FlightService.method.listFlights, async function* ({ expression }, call) {
    if (expression.length > prefixBytesMax)
      throw new FrameholdError(
        'bad_request',
        'The criteria is longer than a name; it is a prefix of names.',
        {
          hint: 'Give the beginning of the names, or nothing for all.',
        },
      );
    const prefix = Buffer.from(expression).toString();
    for await (const record of everyFrame(frames, call.caller, { prefix, limit: pageLimit }, call.signal))
      yield flightInfoOf(record, locations);
  });
}
