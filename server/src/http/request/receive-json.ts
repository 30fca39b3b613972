import type { FastifyReply, FastifyRequest } from 'fastify';
import { FrameholdError } from '../../model/errors.ts';
import type { HttpContext } from '../context.ts';
import { parseExactJson } from './exact-json.ts';
import { receiveText } from './receive-text.ts';

export interface JsonBodyRule {
  /** As the schema of the route declares them. */
  readonly mediaTypes: readonly string[];
  readonly bytesMax: number;
  readonly tooLargeHint: string;
}

/** A small JSON body. Whole numbers come as BigInts. */
export async function receiveJson(
  { limits }: Pick<HttpContext, 'limits'>,
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaTypes, bytesMax, tooLargeHint }: JsonBodyRule,
): Promise<unknown> {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  if (!mediaTypes.includes(type.trim().toLowerCase()))
    throw new FrameholdError('unsupported_media_type', 'The body has to be JSON.', {
      hint: 'Send Content-Type: application/json.',
    });
  const { bodyIdleMs, bodyRateMin } = limits;
  const bodyLimits = { bodyBytesMax: bytesMax, bodyIdleMs, bodyRateMin, tooLargeHint };
  return parseExactJson(await receiveText(request, reply, bodyLimits), 'The body');
}
