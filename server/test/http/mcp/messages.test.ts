/** Messages of the Model Context Protocol as bytes: revisions, batches, and everything that is not a message. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import type { Sql } from '../../../src/sql/sql.ts';
import { assertProblem, getText, type TextAnswer } from '../../support/frame-client.ts';
import { type BareListener, startBareListener } from '../bare-listener.ts';

let listener: BareListener;
/** A statement that ends only when it is stopped; the reason is what stopped it. */
const endless = {
  prepare: () => ({
    execute: (_values: unknown, signal: AbortSignal) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }),
  }),
};

before(async () => {
  listener = await startBareListener({
    sql: endless as unknown as Sql,
    mcp: { isEnabled: true, rowsMax: 10, bytesMax: 1_024, timeoutMs: 50, serverVersion: '1.2.3' },
    limits: { sqlTextBytesMax: 4_096 },
  });
});
after(() => listener.close());

function post(body: string, revision?: string, type = 'application/json'): Promise<TextAnswer> {
  const headers = {
    'content-type': type,
    ...(revision === undefined ? {} : { 'mcp-protocol-version': revision }),
  };
  return getText(`${listener.url}/v1/mcp`, { method: 'POST', body, headers });
}

const ping = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'ping' });

interface Answer {
  readonly id: unknown;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

async function answered(body: unknown, status = 200, revision?: string): Promise<Answer> {
  const answer = await post(JSON.stringify(body), revision);
  assert.equal(answer.status, status, answer.text);
  return JSON.parse(answer.text) as Answer;
}

test('a revision that is spoken is used, and any other is answered with the newest', async () => {
  const initialize = (protocolVersion: unknown) => ({
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
  });
  for (const spoken of ['2025-11-25', '2025-06-18', '2025-03-26'])
    assert.equal((await answered(initialize(spoken))).result?.protocolVersion, spoken);
  for (const other of ['2024-11-05', '2099-01-01', 7, null, undefined])
    assert.equal((await answered(initialize(other))).result?.protocolVersion, '2025-11-25');
  const problem = assertProblem(await post(JSON.stringify(ping(1)), '2099-01-01'), 400, 'bad_request');
  assert.match(problem.hint ?? '', /2025-11-25, 2025-06-18, 2025-03-26/);
});

test('batches belong to one revision, and are limited', async () => {
  const batch = [ping(1), { jsonrpc: '2.0', method: 'notifications/initialized' }, ping('two'), 7];
  for (const revision of [undefined, '2025-03-26']) {
    const answer = await post(JSON.stringify(batch), revision);
    assert.equal(answer.status, 200);
    const ids = (JSON.parse(answer.text) as Answer[]).map(({ id, error }) => [id, error?.code]);
    assert.deepEqual(ids, [
      [1, undefined],
      ['two', undefined],
      [null, -32_600],
    ]);
  }
  assert.equal((await answered(batch, 400, '2025-11-25')).error?.code, -32_600);
  assert.equal((await answered([], 400)).error?.code, -32_600);
  assert.equal(
    (
      await answered(
        Array.from({ length: 17 }, (_, id) => ping(id)),
        400,
      )
    ).error?.code,
    -32_600,
  );
  assert.equal((await answered([{ ...ping(1), method: 'initialize' }], 400)).error?.code, -32_600);
  const silent = await post(JSON.stringify([{ jsonrpc: '2.0', method: 'notifications/cancelled' }]));
  assert.deepEqual([silent.status, silent.text], [202, '']);
});

test('notifications and responses get no answer, and ids come back as they were', async () => {
  for (const message of [
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 1, error: { code: 1, message: 'x' } },
  ]) {
    const answer = await post(JSON.stringify(message));
    assert.deepEqual([answer.status, answer.text], [202, '']);
  }
  for (const id of [0, -1, 9_007_199_254_740_991, '', 'é"\n'])
    assert.deepEqual((await answered(ping(id))).id, id);
  for (const id of [null, 1.5, true, {}, 'x'.repeat(201)])
    assert.equal((await answered(ping(id), 400)).error?.code, -32_600);
  const large = await post('{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}');
  assert.equal(large.status, 400);
});

test('an unknown method or tool is an error of the protocol with a hint', async () => {
  const method = await answered({ jsonrpc: '2.0', id: 1, method: 'resources/list' });
  assert.equal(method.error?.code, -32_601);
  const tool = await answered({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'rm' } });
  assert.equal(tool.error?.code, -32_602);
  assert.match(JSON.stringify(tool), /list_frames, describe_frame, query/);
});

test('a tool that takes too long is stopped, and the result says what to do', async () => {
  const params = { name: 'query', arguments: { sql: 'select 1' } };
  const { result } = await answered({ jsonrpc: '2.0', id: 1, method: 'tools/call', params });
  assert.equal(result?.isError, true);
  const [block] = (result?.content ?? []) as { readonly text: string }[];
  assert.deepEqual(JSON.parse(block?.text ?? ''), {
    code: 'sql_timeout',
    detail: 'The tool did not finish within 50 ms.',
    hint: 'Filter or aggregate more rows in SQL, or raise mcp.timeout_ms.',
  });
});

test('other types, too large bodies and bytes that are not text are refused', async () => {
  assertProblem(await post('{}', undefined, 'text/plain'), 415, 'unsupported_media_type');
  assertProblem(await post(JSON.stringify(ping('x'.repeat(5_000)))), 413, 'body_too_large');
  assertProblem(await getText(`${listener.url}/v1/mcp?x=1`, { method: 'POST' }), 400, 'bad_request');
});

test('whatever is sent, the answer is one of the protocol, and soon', async () => {
  const word = fc.constantFrom(
    'jsonrpc',
    'id',
    'method',
    'params',
    'name',
    'arguments',
    'sql',
    'result',
    '__proto__',
  );
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        '2.0',
        'tools/call',
        'tools/list',
        'initialize',
        'ping',
        'query',
        'list_frames',
        null,
        true,
      ),
      fc.integer(),
      fc.string(),
      fc.array(tie('any'), { maxLength: 4 }),
      fc.dictionary(word, tie('any'), { maxKeys: 6 }),
    ),
  })).any;
  const cut = fc.tuple(value, fc.nat(60)).map(([each, at]) => JSON.stringify(each).slice(0, at));
  const deep = fc.nat(2_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth));
  const body = fc.oneof(
    value.map((each) => JSON.stringify(each)),
    cut,
    fc.string(),
    deep,
  );
  const began = performance.now();
  await fc.assert(
    fc.asyncProperty(body, fc.constantFrom(undefined, '2025-11-25'), async (text, revision) => {
      const answer = await post(text, revision);
      assert.ok([200, 202, 400].includes(answer.status), `${answer.status} ${answer.text} for ${text}`);
      if (answer.status === 202) return;
      const parsed = JSON.parse(answer.text) as Answer | Answer[];
      for (const each of Array.isArray(parsed) ? parsed : [parsed])
        assert.ok('result' in each !== 'error' in each, answer.text);
    }),
    { numRuns: 400 },
  );
  assert.ok(performance.now() - began < 20_000);
});
