import type { FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import { type BodyLimits, checkBodyHeaders, receiveBody } from './receive-body.ts';

/** A body that is small enough to be held, as text. */
export async function receiveText(
  request: FastifyRequest,
  reply: FastifyReply,
  limits: BodyLimits,
): Promise<string> {
  checkBodyHeaders(request, limits);
  const parts: Uint8Array[] = [];
  const sink = {
    write: async (chunks: readonly Uint8Array[]) => void parts.push(...chunks),
    sent: async () => {},
  };
  await receiveBody(request, reply, sink, limits, false);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch (cause) {
    throw new FrameholdError('bad_body', 'The body is not valid UTF-8.', {
      cause,
      hint: 'Send text in UTF-8.',
    });
  }
}
