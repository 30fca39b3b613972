import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticator } from '../frames/ports/authenticator.ts';
import { clientCertificateOf } from '../sockets/client-certificate.ts';
import { setCaller } from './caller-of.ts';
import { queryOf } from './raw-query.ts';

/** What machines ask to know whether a server is there: nothing of anybody is in the answers. */
const openRoutes: ReadonlySet<string | undefined> = new Set(['/ping', '/healthz', '/readyz']);

type Done = (error?: Error) => void;

/** Asks who is calling before anything else of the request is looked at. */
export function doorHook(
  authenticator: Authenticator,
): (request: FastifyRequest, reply: FastifyReply, done: Done) => void {
  return (request, _reply, done) => {
    if (openRoutes.has(request.routeOptions.url)) return done();
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
