import { FrameholdError } from '../../frames/errors.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../gen/health_pb.js';
import { type Method, streamingMethod, unaryMethod } from '../method.ts';
import type { ServingState } from '../serving-state.ts';

/** The server as a whole, and its services by name. */
const services: readonly string[] = ['', FlightService.typeName, Health.typeName];

/** A message has the name of a service in it, and nobody is asked who sends it. */
const messageBytesMax = 4096;

export function healthCheck(state: ServingState): Method {
  const check = unaryMethod(Health.method.check, async ({ service }) => {
    if (!services.includes(service))
      throw new FrameholdError('frame_not_found', 'This server has no such service.');
    return { status: state.ask() ? ServingStatus.SERVING : ServingStatus.NOT_SERVING };
  });
  return { ...check, isOpen: true, messageBytesMax };
}

/** The state now and each change; ends when the server stops, so that a watcher does not hold it up. */
export function healthWatch(state: ServingState): Method {
  const watch = streamingMethod(Health.method.watch, async function* ({ service }, call) {
    if (!services.includes(service)) {
      yield { status: ServingStatus.SERVICE_UNKNOWN };
      await state.stopped(call.signal);
      return;
    }
    if (state.ask()) yield { status: ServingStatus.SERVING };
    await state.stopped(call.signal);
    call.signal.throwIfAborted();
    yield { status: ServingStatus.NOT_SERVING };
  });
  return { ...watch, isOpen: true, messageBytesMax };
}
