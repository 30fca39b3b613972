import type { FastifyReply, FastifyRequest } from 'fastify';
import { isObject } from '../../base/is-object.ts';
import type { ExpiryChange, KeepChange } from '../../frames/frames.ts';
import { parseTtlMs } from '../../model/duration.ts';
import { FrameholdError } from '../../model/errors.ts';
import { parseName } from '../../model/handle.ts';
import { manifestOf } from '../../model/manifest.ts';
import type { HttpContext } from '../context.ts';
import { callerOf, callerSignal } from '../request/caller.ts';
import { conditionsOf } from '../request/conditions.ts';
import { parseInstant } from '../request/instant.ts';
import { type JsonBodyRule, receiveJson } from '../request/receive-json.ts';
import { manifestTag } from '../response/etag.ts';
import { changeFrameSchema } from './schemas/change-frame-schema.ts';

const bodyRule: JsonBodyRule = {
  mediaTypes: changeFrameSchema.consumes,
  // One value fits many times.
  bytesMax: 4 * 1024,
  tooLargeHint: 'Send one of ttl, expiresAt and versionsKeep, and nothing else.',
};

/** `PATCH /v1/frames/{name}`: when the frame expires, or how many of its versions are kept. */
export async function changeFrame(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const name = parseName((request.params as { handle: string }).handle);
  const caller = callerOf(request);
  const signal = callerSignal(reply);
  const change = changeIn(await receiveJson(context, request, reply, bodyRule));
  const { ifMatch } = conditionsOf(request);
  const ifVersion = ifMatch?.allows(await context.frames.resolve(caller, { name, version: null }, signal));
  const condition = ifVersion === undefined ? {} : { ifVersion };
  const record =
    'expires' in change
      ? await context.frames.expire(caller, name, { ...change, ...condition }, signal)
      : await context.frames.keepVersions(caller, name, { ...change, ...condition }, signal);
  return reply.header('etag', manifestTag(record)).send(manifestOf(record));
}

/**
 * `{"ttl": …}`, `{"expiresAt": …}` or `{"versionsKeep": …}`, as JSON or as a merge patch (RFC 7396), which is the same here: null clears it. One at a
 * time, so that a change is made as a whole or not at all.
 */
function changeIn(body: unknown): Pick<ExpiryChange, 'expires'> | Pick<KeepChange, 'versionsKeep'> {
  const [[member, value] = [], ...others] = isObject(body) ? Object.entries(body) : [];
  if (others.length === 0) {
    if (member === 'versionsKeep' && value === null) return { versionsKeep: null };
    if (member === 'versionsKeep' && typeof value === 'bigint') return { versionsKeep: Number(value) };
    if ((member === 'ttl' || member === 'expiresAt') && value === null) return { expires: null };
    if (member === 'ttl' && (typeof value === 'string' || typeof value === 'bigint'))
      return { expires: { ttlMs: parseTtlMs(String(value)) } };
    if (member === 'expiresAt' && typeof value === 'string')
      return { expires: { at: parseInstant(member, value) } };
  }
  throw new FrameholdError(
    'bad_request',
    'The body is not an object with one of ttl, expiresAt and versionsKeep alone, or its value is neither a time nor a number.',
    {
      hint: 'For example {"ttl": "12h"}, {"expiresAt": "2030-01-31T12:00:00Z"}, {"ttl": null} for no expiry, or {"versionsKeep": 100}.',
    },
  );
}
