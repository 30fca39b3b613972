import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../../frames/ports/authenticator.ts';
import { clientCertificateOf } from '../../sockets/client-certificate.ts';
import { setCaller } from '../request/caller.ts';
import { queryOf } from '../request/raw-query.ts';
import { traitsOf } from '../route-traits.ts';

type Done = (error?: Error) => void;

/** Identifies the caller before anything else in the request is looked at. */
export function authenticationHook(
  authenticator: Authenticator,
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
      if (!(caller instanceof Promise)) {
        setCaller(request, caller);
        return done();
      }
      caller.then((known) => {
        setCaller(request, known);
        done();
      }, done);
    } catch (error) {
      done(error as Error);
    }
  };
}
