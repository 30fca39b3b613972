import assert from 'node:assert/strict';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { getText, type TextAnswer } from '../../server/test/support/frame-client.ts';

/** The official client, connected. */
export async function connectMcp(baseUrl: string, token?: string): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' });
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const transport = new StreamableHTTPClientTransport(new URL(`${baseUrl}/v1/mcp`), {
    requestInit: { headers },
  });
  // The types of the package are not written for exactOptionalPropertyTypes.
  await client.connect(transport as unknown as Parameters<Client['connect']>[0]);
  return client;
}

/** What a tool answers that succeeds: once, as text. */
export async function callTool<Value>(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Value> {
  const result = (await client.callTool({ name, arguments: given })) as CallToolResult;
  assert.notEqual(result.isError, true, textOf(result));
  assert.deepEqual([result.content.length, result.structuredContent], [1, undefined]);
  return JSON.parse(textOf(result)) as Value;
}

export interface ToolProblem {
  readonly code: string;
  readonly detail: string;
  readonly hint?: string;
}

/** What a tool answers that fails. */
export async function toolProblem(
  client: Client,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
): Promise<ToolProblem> {
  const result = (await client.callTool({ name, arguments: given })) as CallToolResult;
  assert.equal(result.isError, true, textOf(result));
  assert.equal(result.structuredContent, undefined);
  return JSON.parse(textOf(result)) as ToolProblem;
}

function textOf({ content }: CallToolResult): string {
  const [first] = content;
  assert.equal(first?.type, 'text');
  return (first as { readonly text: string }).text;
}

/** A body as it is, with the headers of a client. */
export function postMcp(
  baseUrl: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TextAnswer> {
  return getText(`${baseUrl}/v1/mcp`, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
  });
}
