import type { ErrorKind } from '../../../server/src/model/errors.ts';
import type { PlainAnswer } from '../../../server/test/support/plain-request.ts';
import type { Cell } from './cells.ts';
import type { HttpHow } from './http-asks.ts';
import { atOnce, type Outcome, type Stage } from './stage.ts';

type HttpCell = Cell<HttpHow>;

/** Some cells at a time, over kept connections. */
export async function askHttp(
  stage: Stage,
  cells: readonly HttpCell[],
  secretOf: (cell: HttpCell) => string | undefined,
): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  await atOnce(cells, async (cell) => {
    outcomes.set(cell.id, outcomeOf(await ask(stage, cell, secretOf(cell))));
  });
  return outcomes;
}

function ask(
  stage: Stage,
  { ask: { how }, handle, holder }: HttpCell,
  secret: string | undefined,
): Promise<PlainAnswer> {
  const path = how.path(handle);
  const request = how.request?.(handle, stage.rows) ?? {};
  if (secret === undefined) return stage.client.ask(path, request);
  if (holder === 'link-in-url')
    return stage.client.ask(`${path}${path.includes('?') ? '&' : '?'}link=${secret}`, request);
  const headers = { ...request.headers, authorization: `Bearer ${secret}` };
  return stage.client.ask(path, { ...request, headers });
}

const kindsWithoutBody: Readonly<Record<number, ErrorKind>> = {
  401: 'unauthenticated',
  403: 'access_denied',
  404: 'frame_not_found',
};

function outcomeOf({ status, rawHeaders, body }: PlainAnswer): Outcome {
  const text = `${rawHeaders.join('\n')}\n${body.toString('latin1')}`;
  if (status < 300) return { kind: 'ok', text };
  // HEAD is answered with the head alone.
  if (body.length === 0) return { kind: kindsWithoutBody[status] ?? String(status), text };
  return { kind: String((JSON.parse(body.toString()) as { code?: unknown }).code), text };
}
