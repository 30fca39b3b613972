/** Frames of whole numbers in a row, for tests that only ask whose rows they got. */
import assert from 'node:assert/strict';
import { getText, send, type TextAnswer } from '../frame-client.ts';

const csv = 'text/csv';

export interface NumbersOptions {
  readonly method?: 'PUT' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly status?: number;
}

export interface Written {
  readonly status: number;
  readonly version: number;
  readonly etag: string;
  readonly json: Record<string, unknown>;
}

/** PUT creates or replaces; POST appends. */
export async function writeNumbers(
  url: string,
  name: string,
  numbers: readonly number[],
  { method = 'PUT', ...options }: NumbersOptions = {},
): Promise<Written> {
  const path = `/v1/frames/${name}${method === 'POST' ? '/rows' : ''}`;
  const body = `n\n${numbers.join('\n')}\n`;
  const { status, headers, json } = await send(url, path, body, { method, type: csv, ...options });
  return { status, json, version: Number(json.version), etag: headers.get('etag') ?? '' };
}

export async function appendNumbers(
  url: string,
  name: string,
  numbers: readonly number[],
  options: NumbersOptions = {},
): Promise<Written> {
  return await writeNumbers(url, name, numbers, { ...options, method: 'POST' });
}

export async function askNumbers(url: string, handle: string): Promise<TextAnswer> {
  return await getText(`${url}/v1/frames/${handle}/rows?fmt=csv`);
}

export async function readNumbers(url: string, handle: string): Promise<number[]> {
  const answer = await askNumbers(url, handle);
  assert.equal(answer.status, 200, answer.text);
  return answer.text.trimEnd().split('\r\n').slice(1).map(Number);
}
