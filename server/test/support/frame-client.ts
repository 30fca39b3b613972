/** How tests put frames and ask for them over HTTP, with the status checked where it matters. */
import assert from 'node:assert/strict';

export const arrowStreamType = 'application/vnd.apache.arrow.stream';

export interface PutOptions {
  readonly method?: 'PUT' | 'POST';
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The status that must come back. */
  readonly status?: number;
}

/** Sends a body to a path under /v1/frames and gives back the parsed answer. */
export async function send(
  baseUrl: string,
  path: string,
  body: Uint8Array<ArrayBuffer> | string,
  options: PutOptions = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly json: Record<string, unknown> }> {
  const answer = await fetch(baseUrl + path, {
    method: options.method ?? 'PUT',
    headers: { 'content-type': options.type ?? arrowStreamType, ...options.headers },
    body,
  });
  const text = await answer.text();
  if (options.status !== undefined) assert.equal(answer.status, options.status, text);
  return { status: answer.status, headers: answer.headers, json: text === '' ? {} : JSON.parse(text) };
}

/** Puts an Arrow stream under a name, which must not exist yet. */
export async function putFrame(baseUrl: string, name: string, body: Uint8Array<ArrayBuffer>): Promise<void> {
  await send(baseUrl, `/v1/frames/${name}`, body, { status: 201 });
}

export interface TextAnswer {
  readonly status: number;
  readonly type: string | null;
  readonly headers: Headers;
  readonly text: string;
}

export async function getText(url: string, init: RequestInit = {}): Promise<TextAnswer> {
  const answer = await fetch(url, { redirect: 'manual', ...init });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    headers: answer.headers,
    text: await answer.text(),
  };
}

/** GET /exec with these parameters. */
export async function exec(
  baseUrl: string,
  parameters: Readonly<Record<string, string>>,
): Promise<TextAnswer> {
  return await getText(`${baseUrl}/exec?${new URLSearchParams(parameters)}`);
}

export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly code: string;
  readonly hint?: string;
  readonly requestId: string;
  readonly error: string;
  readonly query?: string;
}

/** The one shape of every HTTP error. */
export function assertProblem(answer: TextAnswer, status: number, code?: string): Problem {
  assert.equal(answer.status, status, answer.text);
  const problem = JSON.parse(answer.text) as Problem;
  assert.equal(problem.status, status);
  for (const member of ['type', 'title', 'detail', 'code', 'requestId', 'error'] as const) {
    assert.equal(typeof problem[member], 'string', `${member} of ${answer.text}`);
    assert.notEqual(problem[member], '', `${member} of ${answer.text}`);
  }
  assert.equal(problem.error, problem.detail);
  if (code !== undefined) assert.equal(problem.code, code, answer.text);
  return problem;
}
