import { FrameholdError } from '../../model/errors.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { type Method, methodPath } from '../method.ts';

/** Said here rather than left to the transport, so that the caller learns what to use instead. */
export function pollFlightInfo(): Method {
  return notOffered(
    methodPath(FlightService.method.pollFlightInfo),
    'PollFlightInfo',
    'Use GetFlightInfo: frames are there or not, there is nothing to wait for.',
  );
}

export function doExchange(): Method {
  return notOffered(
    methodPath(FlightService.method.doExchange),
    'DoExchange',
    'Use DoPut to store a frame and DoGet to read one.',
  );
}

function notOffered(path: string, name: string, hint: string): Method {
  return {
    path,
    async serve() {
      throw new FrameholdError('unimplemented', `${name} is not offered.`, { hint });
    },
  };
}
