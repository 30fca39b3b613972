import { FlightService } from '../gen/Flight_pb.js';
import { bidirectionalMethod, type Method } from '../method.ts';

/**
 * A client that sends a user and a token as the password gets the header to send from then on. The credential was looked at before this
 * runs, as with every call; an open server looks at none, and any is fine.
 */
export function handshake(): Method {
  return bidirectionalMethod(FlightService.method.handshake, async function* (requests, call) {
    const given = call.header('authorization');
    // ADBC gives up if no token is answered to a user and a password.
    if (given !== undefined) call.answerHeader('authorization', `Bearer ${passwordOf(given)}`);
    for await (const { protocolVersion, payload } of requests) yield { protocolVersion, payload };
  });
}

/** What the header carries after `Bearer`, or as the password of `Basic`. */
function passwordOf(authorization: string): string {
  const [, scheme = '', value = ''] = /^(\w+) +(\S+) *$/.exec(authorization) ?? [];
  if (scheme.toLowerCase() !== 'basic') return sendable(value);
  const text = Buffer.from(value, 'base64').toString();
  return sendable(text.slice(text.indexOf(':') + 1));
}

/** Any password opens an open server, also one that no header can carry. */
function sendable(secret: string): string {
  return /^[\x21-\x7e]+$/.test(secret) ? secret : 'anonymous';
}
