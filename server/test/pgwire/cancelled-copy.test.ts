import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeSchema } from '../../src/arrow/ipc/schema-encoder.ts';
import type { Caller } from '../../src/model/caller.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import type { Outbox } from '../../src/pgwire/protocol/outbox.ts';
import { Statements } from '../../src/pgwire/session/statements.ts';
import type { IpcMessage, Renderer } from '../../src/ports/renderer.ts';
import type { Sql, SqlRows } from '../../src/sql/sql.ts';

test('a COPY that is cancelled while the engine works on its first row ends the statement', async () => {
  const schemaMessage = encodeSchema({ fields: [], metadata: [] });
  const working = Promise.withResolvers<void>();
  let wasReleased = false;
  const sql = {
    prepare: () => ({
      execute: async (_values: unknown, signal: AbortSignal): Promise<SqlRows> => ({
        kind: 'rows',
        id: 'one',
        schemaMessage,
        markedSchemaMessage: schemaMessage,
        columns: [],
        messages: noRowsUntil(signal, working.resolve),
        sources: [],
        timings: { queue: 0, prepare: 0, isKept: false },
        release: async () => {
          wasReleased = true;
        },
      }),
    }),
  } as unknown as Sql;
  const renderer = {
    renderStream: ({ messages }: { messages: AsyncIterable<IpcMessage> }) => chunksOf(messages),
  } as unknown as Renderer;
  const outbox = { send: async () => {} } as unknown as Outbox;
  const client = new AbortController();
  const request = {
    caller: {} as Caller,
    text: 'select 1',
    parameters: null,
    id: 'one',
    session: { database: '', user: '', backendId: 1, settings: new Map() },
    timeZone: 'UTC',
    signal: client.signal,
  };
  const options = { format: 'binary' } as Parameters<Statements['copy']>[1];
  const copied = new Statements(sql, renderer).copy(request, options, outbox);
  await working.promise;
  client.abort(new FrameholdError('query_cancelled', 'The client has asked.'));
  await assert.rejects(copied, { kind: 'query_cancelled' });
  assert.ok(wasReleased);
});

/** As an engine that works until its statement is stopped. */
async function* noRowsUntil(signal: AbortSignal, began: () => void): AsyncGenerator<IpcMessage> {
  began();
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve));
  signal.throwIfAborted();
  yield* [];
}

async function* chunksOf(messages: AsyncIterable<IpcMessage>): AsyncGenerator<Uint8Array> {
  for await (const { header } of messages) yield header;
}
