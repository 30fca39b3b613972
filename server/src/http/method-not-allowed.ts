import type { FastifyReply } from 'fastify';
import { FrameholdError } from '../frames/errors.ts';

/** The 405 error; sets the `Allow` header that goes with it. */
export function methodNotAllowed(reply: FastifyReply, allowed: readonly string[]): FrameholdError {
  reply.header('allow', allowed.join(', '));
  return new FrameholdError('method_not_allowed', `${reply.request.method} is not offered here.`, {
    hint: `Use ${allowed.join(' or ')}.`,
  });
}
