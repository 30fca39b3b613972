import { FlightService } from '../gen/Flight_pb.js';
import { bidirectionalMethod, type Method } from '../method.ts';

/** What whoever comes with a user and a password is to send from then on. It opens nothing: the server asks nobody. */
const openToken = 'Bearer anonymous';

/** The server is open: whatever a client says to introduce itself is fine, and comes back. */
export function handshake(): Method {
  return bidirectionalMethod(FlightService.method.handshake, async function* (requests, call) {
    // ADBC gives up where no token is answered to a user and a password.
    if (call.header('authorization') !== undefined) call.answerHeader('authorization', openToken);
    for await (const { protocolVersion, payload } of requests) yield { protocolVersion, payload };
  });
}
