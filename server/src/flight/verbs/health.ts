import { setTimeout as sleep } from 'node:timers/promises';
import { FrameholdError } from '../../model/errors.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { Health, HealthCheckResponse_ServingStatus as ServingStatus } from '../gen/health_pb.js';
import { type Method, streamingMethod, unaryMethod } from '../method.ts';
import type { ServingState } from '../serving-state.ts';

/** The server as a whole, and its services by name. */
const services: readonly string[] = ['', FlightService.typeName, Health.typeName];

/** A message has the name of a service in it, and nobody is asked who sends it. */
const messageBytesMax = 4096;

/** How often the state is looked at for a watcher: as often as balancers ask that do not watch. */
const watchMs = 1_000;

export function healthCheck(state: ServingState): Method {
  const check = unaryMethod(Health.method.check, async ({ service }) => {
    if (!services.includes(service))
      throw new FrameholdError('frame_not_found', 'This server has no such service.');
    return { status: (await state.ask()) ? ServingStatus.SERVING : ServingStatus.NOT_SERVING };
  });
  return { ...check, isOpen: true, messageBytesMax };
}

/** The state now and each change; ends when the server stops, so that a watcher does not hold it up. */
export function healthWatch(state: ServingState): Method {
  const watch = streamingMethod(Health.method.watch, async function* ({ service }, call) {
    const ending = state.ending(call.signal);
    const now = async () => {
      if (!services.includes(service)) return ServingStatus.SERVICE_UNKNOWN;
      return (await state.ask()) ? ServingStatus.SERVING : ServingStatus.NOT_SERVING;
    };
    for (let told: ServingStatus | null = null; ; ) {
      const isLast = ending.aborted;
      const status = await now();
      call.signal.throwIfAborted();
      if (status !== told) yield { status };
      told = status;
      if (isLast) return;
      await sleep(watchMs, undefined, { signal: ending }).catch(() => {});
    }
  });
  return { ...watch, isOpen: true, messageBytesMax };
}
