import { FrameholdError } from '../model/errors.ts';
import type { FailedState, OpenQuery, QueryState } from '../ports/running-queries.ts';
import type { FailedQuery } from './failed-queries.ts';

export function noQuery(id: string): FrameholdError {
  return new FrameholdError(
    'query_not_found',
    `No query ${JSON.stringify(id.slice(0, 128))} waits or runs, and none has failed within the last ten minutes.`,
    { hint: 'One that ended well is not kept: its answer was whole.' },
  );
}

export function noQueryUnderWay(id: string): FrameholdError {
  return new FrameholdError(
    'query_not_found',
    `There is no query ${JSON.stringify(id.slice(0, 128))} under way.`,
    { hint: 'It may have ended: GET /v1/queries lists those that wait or run.' },
  );
}

/** Operators may leave out whose query they mean, if that is clear. */
export function onlyOne<Q>(found: readonly Q[]): Q | undefined {
  if (found.length > 1)
    throw new FrameholdError('bad_request', `${found.length} tenants have a query of this id.`, {
      hint: 'Say whose: tenant=NAME.',
    });
  return found[0];
}

export function openState(query: OpenQuery, now: number, isOperators: boolean): QueryState {
  const { id, tenant, sql, engine, state, startedAt, rows } = query;
  const elapsedMs = Math.max(0, now - startedAt);
  const content = isOperators ? null : { sql, rows };
  return { id, tenant, engine, state, startedAt, elapsedMs, progress: query.progress(), content };
}

export function failedState(
  { id, tenant, startedAt, endedAt, rows, error }: FailedQuery,
  isOperators: boolean,
): FailedState {
  const { detail, hint, place } = error;
  const content = isOperators ? null : { rows, detail, hint, place };
  return { id, tenant, state: 'failed', startedAt, endedAt, kind: error.kind, content };
}
