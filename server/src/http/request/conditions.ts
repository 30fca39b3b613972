import type { FastifyRequest } from 'fastify';
import type { ChangeConditions, VersionGuard } from '../../frames/frames.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { ExpectedVersion } from '../../model/expected-version.ts';
import { guardedVersion } from '../response/etag.ts';

/** Headers on which it depends whether a change is made. A route that changes something names those that it honours, and refuses the others. */
const conditions = {
  'If-Match': {
    type: 'string',
    description: 'The ETag of the manifest: only if this version is the newest; else 412.',
  },
  'If-None-Match': { type: 'string', enum: ['*'], description: 'Only if the name is free; else 412.' },
  'Idempotency-Key': {
    type: 'string',
    pattern: '^[!-~]{1,255}$',
    description:
      'Chosen by the caller. The same request with the same key within a day is answered as the first time and changes nothing; another one is 409.',
  },
} as const;

export type Condition = keyof typeof conditions;
export const everyCondition = Object.keys(conditions) as readonly Condition[];

/** Nothing here has a date that could be compared, but who sends this counts on it. */
const neverHonoured = 'If-Unmodified-Since';

/** For the OpenAPI document. */
export function conditionsSchema(honoured: readonly Condition[]): { readonly headers?: object } {
  if (honoured.length === 0) return {};
  const properties = Object.fromEntries(honoured.map((name) => [name, conditions[name]]));
  return { headers: { type: 'object', properties } };
}

/** bad_request for a condition that the route does not honour: it would make the change although the caller forbids it, or make it twice. */
export function refuseOtherConditions({ headers }: FastifyRequest, honoured: readonly Condition[]): void {
  const others = everyCondition.filter((name) => !honoured.includes(name));
  const given = [...others, neverHonoured].find((name) => headers[name.toLowerCase()] !== undefined);
  if (given === undefined) return;
  throw new FrameholdError('bad_request', `This route does not take ${given}.`, {
    hint:
      honoured.length === 0
        ? 'Leave it out: the route has no conditions.'
        : `Leave it out, or use ${honoured.join(', ')}.`,
  });
}

export function conditionsOf({ headers }: FastifyRequest): ChangeConditions {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'idempotency-key': idempotencyKey } = headers;
  if (ifNoneMatch !== undefined && ifNoneMatch.trim() !== '*')
    throw new FrameholdError('bad_request', 'If-None-Match on a change can only be *.', {
      hint: 'Use If-None-Match: * to create a frame, If-Match to replace a known version.',
    });
  return {
    ...(ifMatch === undefined ? {} : { ifMatch: tagGuard(ifMatch) }),
    ...(ifNoneMatch === undefined ? {} : { createOnly: true }),
    ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
  };
}

function tagGuard(header: string): VersionGuard {
  // Only without a header it guards nothing.
  return {
    text: header,
    allows: (newest, called) => guardedVersion(header, newest, called) as ExpectedVersion,
  };
}
