import type { FastifyReply, FastifyRequest } from 'fastify';
import { parseTtlMs } from '../../frames/duration.ts';
import { FrameholdError } from '../../frames/errors.ts';
import type { ExpiryChange } from '../../frames/frames.ts';
import { parseName } from '../../frames/handle.ts';
import { manifestOf } from '../../frames/manifest.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { conditionsOf } from '../request/conditions.ts';
import { parseInstant } from '../request/instant.ts';
import { isObject, type JsonBodyRule, receiveJson } from '../request/receive-json.ts';
import { manifestTag } from '../response/etag.ts';
import { expirySchema } from './schemas/expiry-schema.ts';

const bodyRule: JsonBodyRule = {
  mediaTypes: expirySchema.consumes,
  // One time fits many times.
  bytesMax: 4 * 1024,
  tooLargeHint: 'Send ttl or expiresAt, and nothing else.',
};

/** `PATCH /v1/frames/{name}`: when the frame expires. */
export async function setExpiry(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const name = parseName((request.params as { handle: string }).handle);
  const caller = callerOf(request);
  const signal = callerSignal(reply);
  const expires = expiryIn(await receiveJson(context, request, reply, bodyRule));
  const { ifMatch } = conditionsOf(request);
  const ifVersion = ifMatch?.allows(await context.frames.resolve(caller, { name, version: null }, signal));
  const change: ExpiryChange = { expires, ...(ifVersion === undefined ? {} : { ifVersion }) };
  const record = await context.frames.expire(caller, name, change, signal);
  return reply.header('etag', manifestTag(record)).send(manifestOf(record));
}

/** `{"ttl": …}` or `{"expiresAt": …}`, as JSON or as a merge patch (RFC 7396), which is the same here: null clears it. */
function expiryIn(body: unknown): ExpiryChange['expires'] {
  const [[member, value] = [], ...others] = isObject(body) ? Object.entries(body) : [];
  const isTime = typeof value === 'string' || (member === 'ttl' && typeof value === 'bigint');
  if ((member !== 'ttl' && member !== 'expiresAt') || others.length > 0 || (value !== null && !isTime))
    throw new FrameholdError(
      'bad_request',
      'The body is not an object with one of ttl and expiresAt alone, or its value is no time.',
      {
        hint: 'For example {"ttl": "12h"}, {"expiresAt": "2030-01-31T12:00:00Z"}, or {"ttl": null} for no expiry.',
      },
    );
  if (value === null) return null;
  return member === 'ttl'
    ? { ttlMs: parseTtlMs(String(value)) }
    : { at: parseInstant(member, String(value)) };
}
