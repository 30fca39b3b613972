import assert from 'node:assert/strict';
import { request } from 'node:http';
import { getText, type TextAnswer } from '../../server/test/support/frame-client.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { eventually } from '../../server/test/support/patience.ts';

/** A statement over HTTP as JSON; members beside `sql` go into the body. */
export function postSql(
  baseUrl: string,
  sql: string,
  members: Readonly<Record<string, unknown>> = {},
  path = '/v1/sql',
): Promise<TextAnswer> {
  return getText(baseUrl + path, {
    method: 'POST',
    body: JSON.stringify({ sql, ...members }),
    headers: { 'content-type': 'application/json' },
  });
}

export interface SqlTable {
  readonly query: string;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  readonly dataset: readonly (readonly unknown[])[];
  readonly count: number;
}

/** The rows of a statement that must succeed. */
export async function sqlTable(
  baseUrl: string,
  sql: string,
  members: Readonly<Record<string, unknown>> = {},
): Promise<SqlTable> {
  const answer = await postSql(baseUrl, sql, members);
  assert.equal(answer.status, 200, answer.text);
  return JSON.parse(answer.text) as SqlTable;
}

export interface ListedQuery {
  readonly id: string;
  readonly query: string;
  readonly state: string;
  readonly startedAt: string;
  readonly rows: number;
}

export async function queries(baseUrl: string): Promise<readonly ListedQuery[]> {
  return JSON.parse((await getText(`${baseUrl}/v1/queries`)).text).queries;
}

/** Waits until a statement is in the list in this state, or is not in it (null). Gives how long that took. */
export async function untilQuery(
  baseUrl: string,
  id: string,
  state: 'waiting' | 'running' | null,
  timeoutMs: number,
): Promise<number> {
  const began = performance.now();
  let took = 0;
  await eventually(`the query ${id} is ${state ?? 'not there'}`, async () => {
    const found = (await queries(baseUrl)).find((query) => query.id === id);
    took = performance.now() - began;
    if ((found?.state ?? null) === state) return true;
    assertTook(took, timeoutMs, `the query ${id}, now ${found?.state ?? 'not there'},`);
    return false;
  });
  return took;
}

export interface WholeOrCut {
  readonly status: number;
  /** Whether the framing says that the body is whole. */
  readonly complete: boolean;
  readonly body: Buffer;
}

/** A request of which it matters how its answer ended. */
export function untilItsEnd(
  url: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<WholeOrCut> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      { method: body === undefined ? 'GET' : 'POST', headers, agent: false },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', () => {});
        answer.on('close', () =>
          resolve({ status: answer.statusCode ?? 0, complete: answer.complete, body: Buffer.concat(chunks) }),
        );
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}
