import { FrameholdError } from '../../frames/errors.ts';
import type { Frames } from '../../frames/frames.ts';
import { flightInfoOf } from '../flight-info.ts';
import { FlightService } from '../gen/Flight_pb.js';
import { type Method, streamingMethod } from '../method.ts';

/** Large enough that the catalog is asked rarely, small enough to stay off the heap's large side. */
const pageLimit = 100;
/** A prefix longer than a name matches nothing. */
const prefixBytesMax = 128;

/** Every name with its newest version; the criteria is a prefix of the name. */
export function listFlights(frames: Frames, publicUrl: string | null): Method {
  return streamingMethod(FlightService.method.listFlights, async function* ({ expression }, call) {
    if (expression.length > prefixBytesMax)
      throw new FrameholdError('bad_request', 'The criteria is longer than a name; it is a prefix of names.');
    const prefix = Buffer.from(expression).toString();
    for (let after: string | null = null; ; ) {
      const page = await frames.listWhole(call.caller, { prefix, after, limit: pageLimit }, call.signal);
      for (const record of page) yield flightInfoOf(record, publicUrl);
      const last = page.at(-1);
      if (last === undefined) return;
      after = last.name.toLowerCase();
    }
  });
}
