import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../../model/caller.ts';
import type { Authenticator } from '../../ports/authenticator.ts';
import { clientCertificateOf } from '../../sockets/client-certificate.ts';
import { setCaller } from '../request/caller.ts';
import { queryOf } from '../request/raw-query.ts';
import { traitsOf } from '../route-traits.ts';

type Done = (error?: Error) => void;

/** Identifies the caller before anything else in the request is looked at. `onKnown`: the caller at the other end of this connection has shown who it is. */
export function authenticationHook(
  authenticator: Authenticator,
  onKnown: (socket: Socket) => void,
): (request: FastifyRequest, reply: FastifyReply, done: Done) => void {
  return (request, _reply, done) => {
    if (!traitsOf(request).needsCredential) return done();
    try {
      const { authorization } = request.headers;
      const caller = authenticator.authenticate(
        {
          authorization,
          link: queryOf(request).value('link'),
          certificate: clientCertificateOf(request.raw.socket),
        },
        { remote: request.ip ?? '', requestId: request.id },
      );
      const enter = (known: Caller) => {
        onKnown(request.raw.socket);
        setCaller(request, known);
        done();
      };
      if (!(caller instanceof Promise)) return enter(caller);
      caller.then(enter, done);
    } catch (error) {
      done(error as Error);
    }
  };
}
