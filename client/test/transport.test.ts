import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Framehold, FrameholdError } from '../src/index.ts';
import { LocalServer, problem } from './local-server.ts';

async function failure(promise: Promise<unknown>): Promise<FrameholdError> {
  const thrown = await promise.then(
    () => assert.fail('no error'),
    (error: unknown) => error,
  );
  assert.ok(thrown instanceof FrameholdError, String(thrown));
  return thrown;
}

describe('requests', () => {
  it('are repeated after 503 and Retry-After, if they only read', async () => {
    let asked = 0;
    await using server = await LocalServer.start((_request, response) => {
      asked++;
      if (asked < 3) response.writeHead(503, { 'retry-after': '0' }).end(problem(503, 'overloaded'));
      else response.end('{"queries":[]}');
    });
    assert.deepEqual(await new Framehold({ url: server.url }).queries.list(), []);
    assert.equal(asked, 3);
  });

  it('fail after three tries, and at once if the wait is long or something changes', async () => {
    let retryAfter = '0';
    await using server = await LocalServer.start((_request, response) => {
      response.writeHead(429, { 'retry-after': retryAfter }).end(problem(429, 'rate_limited'));
    });
    const client = new Framehold({ url: server.url });
    assert.equal((await failure(client.queries.list())).code, 'rate_limited');
    assert.equal(server.requests.length, 3);
    assert.equal((await failure(client.queries.cancel('q'))).code, 'rate_limited');
    assert.equal(server.requests.length, 4);
    retryAfter = '3600';
    assert.equal((await failure(client.queries.list())).retryAfterMs, 3_600_000);
    assert.equal(server.requests.length, 5);
  });

  it('have the token in a header, asked for each time, and never in the URL', async () => {
    await using server = await LocalServer.start((_request, response) => response.end('{"queries":[]}'));
    let token: string | undefined = 'secret-1';
    const client = new Framehold({ url: server.url, token: () => token });
    await client.queries.list();
    token = undefined;
    await client.queries.list();
    assert.deepEqual(
      server.requests.map(({ headers }) => headers.authorization),
      ['Bearer secret-1', undefined],
    );
    assert.ok(server.requests.every(({ url }) => url === '/v1/queries'));
  });

  it('go below the path of the address', async () => {
    await using server = await LocalServer.start((_request, response) => response.end('{}'));
    for (const path of ['/data/frames', '/data/frames/', '/data/frames?x#y'])
      await new Framehold({ url: server.url + path }).frames.get('a b@3');
    for (const { url } of server.requests) assert.equal(url, '/data/frames/v1/frames/a%20b@3');
  });

  it('are not sent with names that would mean something else', async () => {
    await using server = await LocalServer.start((_request, response) => response.end('{}'));
    const client = new Framehold({ url: server.url });
    for (const name of ['', '.', '..']) {
      assert.equal((await failure(client.frames.drop(name))).code, 'bad_argument');
      assert.equal((await failure(client.saved.remove(name))).code, 'bad_argument');
    }
    assert.equal((await failure(client.rows('f', { columns: ['a', 'b,c'] }))).code, 'bad_argument');
    await client.saved.remove('a/../b?c#d');
    assert.deepEqual(
      server.requests.map(({ url }) => url),
      ['/v1/saved-queries/a%2F..%2Fb%3Fc%23d'],
    );
  });

  it('end with the reason of their signal', async () => {
    await using server = await LocalServer.start(() => {});
    const controller = new AbortController();
    const asked = new Framehold({ url: server.url }).frames.list({ signal: controller.signal });
    controller.abort(new Error('enough'));
    await assert.rejects(asked, { message: 'enough' });
  });
});

describe('errors', () => {
  it('have all that the problem document says', async () => {
    await using server = await LocalServer.start((_request, response) => {
      response
        .writeHead(400, { 'framehold-query-id': 'q1' })
        .end(problem(400, 'sql_invalid', { hint: 'Correct it.', position: 7, line: 1, column: 8 }));
    });
    const error = await failure(new Framehold({ url: server.url }).sql('select x'));
    assert.equal(error.message, 'What is wrong. Correct it.');
    const { code, status, title, detail, hint, requestId, queryId, position, line, column } = error;
    assert.deepEqual(
      { code, status, title, detail, hint, requestId, queryId, position, line, column },
      {
        code: 'sql_invalid',
        status: 400,
        title: 'A title',
        detail: 'What is wrong.',
        hint: 'Correct it.',
        requestId: 'r1',
        queryId: 'q1',
        position: 7,
        line: 1,
        column: 8,
      },
    );
  });

  it('say that another program answered', async () => {
    await using server = await LocalServer.start((_request, response) =>
      response.writeHead(502).end('<html>'),
    );
    const error = await failure(new Framehold({ url: server.url }).frames.list());
    assert.deepEqual([error.code, error.status], ['unreadable_answer', 502]);
    await using other = await LocalServer.start((_request, response) => response.end('<html>'));
    assert.equal((await failure(new Framehold({ url: other.url }).frames.list())).code, 'unreadable_answer');
    assert.equal((await failure(new Framehold({ url: other.url }).rows('a'))).code, 'unreadable_answer');
  });

  it('say that nobody answered', async () => {
    const server = await LocalServer.start(() => {});
    const { url } = server;
    await server[Symbol.asyncDispose]();
    const error = await failure(new Framehold({ url }).frames.list());
    assert.deepEqual([error.code, error.status], ['network', 0]);
    assert.match(error.message, /no answer from http:\/\/127\.0\.0\.1:\d+\. Check that the server runs/);
  });
});
