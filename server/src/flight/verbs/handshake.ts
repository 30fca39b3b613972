import { FlightService } from '../gen/Flight_pb.js';
import { bidirectionalMethod, type Method } from '../method.ts';

/** The server is open: whatever a client says to introduce itself is fine, and comes back. */
export function handshake(): Method {
  return bidirectionalMethod(FlightService.method.handshake, async function* (requests) {
    for await (const { protocolVersion, payload } of requests) yield { protocolVersion, payload };
  });
}
