import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { frameholdTenant, newToken } from '../../server/test/support/framehold-tokens.ts';

let framehold: Framehold;
let tokens: Record<'a' | 'b', string>;
const bytesMax = 200_000;

before(async () => {
  framehold = await Framehold.start({
    env: {
      FRAMEHOLD_TENANT_BYTES_MAX: String(bytesMax),
      FRAMEHOLD_TENANT_FRAMES_MAX: '5',
      FRAMEHOLD_TENANT_QUERIES_MAX: '2',
      FRAMEHOLD_TENANT_STREAMS_MAX: '3',
      FRAMEHOLD_TENANT_REQUESTS_PER_SECOND: '50',
      FRAMEHOLD_TENANT_REQUESTS_BURST: '60',
    },
  });
  const make = (tenant: string) => newToken(framehold.dataDirectory, tenant, 'write');
  tokens = { a: make('a'), b: make('b') };
});
after(() => framehold.remove());

type Tenant = keyof typeof tokens;

function ask(tenant: Tenant, path: string, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${tokens[tenant]}`, 'content-type': 'text/csv', ...init.headers };
  return fetch(`${framehold.url}${path}`, { ...init, headers });
}

function put(tenant: Tenant, name: string, rows: number): Promise<Response> {
  const body = `n\n${Array.from({ length: rows }, (_, row) => row).join('\n')}\n`;
  return ask(tenant, `/v1/frames/${name}`, { method: 'PUT', body });
}

async function assertRefused(answer: Response, code: string): Promise<void> {
  const body = (await answer.json()) as { code: string; hint: string };
  assert.deepEqual([answer.status, body.code], [429, code]);
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.match(body.hint, /tenant\./);
}

test('a tenant holds so many frames, and may still change those', async () => {
  for (let count = 0; count < 5; count++) assert.equal((await put('a', `f${count}`, 1)).status, 201);
  await assertRefused(await put('a', 'f5', 1), 'quota_exceeded');
  assert.equal((await put('a', 'f0', 2)).status, 200);
  assert.equal((await put('b', 'f5', 1)).status, 201);
  await ask('a', '/v1/frames/f4', { method: 'DELETE' });
  assert.equal((await put('a', 'f5', 1)).status, 201);
});

test('a tenant holds so many bytes, however they come, and nothing of what was refused stays', async () => {
  const frames = await (await ask('a', '/v1/frames')).text();
  await assertRefused(await put('a', 'f0', 30_000), 'quota_exceeded');
  // Announced larger than it may be: refused before a byte of it is taken.
  const announced = await ask('a', '/v1/frames/f0', {
    method: 'PUT',
    body: Buffer.alloc(bytesMax * 10),
    headers: { 'content-type': 'application/vnd.apache.arrow.stream' },
  });
  await assertRefused(announced, 'quota_exceeded');
  const flight = `
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given.encode())])
big = numbers(*range(100_000))
result = fails(lambda: put(by_path('f0'), big, options))`;
  const failed = (await flightPython(framehold.grpcUrl, flight, tokens.a)) as { text: string };
  assert.match(failed.text, /tenant\.bytes_max/);
  const made = await ask('a', '/v1/sql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql: 'create or replace table f0 as select range n from range(100000)' }),
  });
  await assertRefused(made, 'quota_exceeded');
  assert.equal(await (await ask('a', '/v1/frames')).text(), frames);
  assert.equal((await put('b', 'big', 10_000)).status, 201);
});

test('a tenant has so many statements at once; the next one is refused, and others are served', async () => {
  const slow = encodeURIComponent(
    'select count(*) from range(100000000) a, range(300) b where a.range % 7 = b.range % 5',
  );
  const stop = new AbortController();
  const running = [1, 2].map(() =>
    ask('a', `/v1/sql?query=${slow}`, { signal: stop.signal }).catch(() => null),
  );
  await framehold.until('two statements', async () => {
    const { queries } = (await (await ask('a', '/v1/queries')).json()) as { queries: unknown[] };
    return queries.length === 2 ? true : null;
  });
  await assertRefused(await ask('a', '/v1/sql?query=select%201'), 'rate_limited');
  assert.equal((await ask('b', '/v1/sql?query=select%201')).status, 200);
  stop.abort();
  await Promise.all(running);
  await framehold.until('an end', async () =>
    (await ask('a', '/v1/sql?query=select%201')).status === 200 ? true : null,
  );
});

test('a tenant has so many streams at once', async () => {
  const open = Array.from({ length: 3 }, () => {
    let finish: () => void = () => {};
    const body = new ReadableStream({
      start(controller) {
        controller.enqueue(Buffer.from('n\n1\n'));
        finish = () => controller.close();
      },
    });
    const answer = ask('a', '/v1/frames/f1', { method: 'PUT', body, duplex: 'half' } as RequestInit);
    return { answer, finish: () => finish() };
  });
  await framehold.until('three puts', async () => {
    const answer = await put('a', 'f1', 1);
    return answer.status === 429 ? true : null;
  });
  await assertRefused(await put('a', 'f2', 1), 'rate_limited');
  assert.equal((await put('b', 'f1', 1)).status, 201);
  for (const { finish } of open) finish();
  for (const { answer } of open) assert.equal((await answer).status, 200);
  assert.equal((await put('a', 'f2', 1)).status, 200);
});

test('a tenant asks so often, over HTTP and Flight together; another is not touched, and /ping always answers', async () => {
  // Few, so that a machine that needs seconds for them does not let all of them through.
  frameholdTenant(framehold.dataDirectory, 'set', 'a', '--requests-per-second', '5');
  const answers = await Promise.all(Array.from({ length: 200 }, () => ask('a', '/v1/frames')));
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length > 50 && answers.some(({ status }) => status === 200), String(refused.length));
  await assertRefused(refused[0] as Response, 'rate_limited');
  assert.equal((await ask('b', '/v1/frames')).status, 200);
  assert.equal((await fetch(`${framehold.url}/ping`)).status, 200);
});

test('each refusal is in the audit log', () => {
  const reasons = new Set(
    framehold.lines
      .filter((line) => line.includes('"event":"audit"') && line.includes('"refused"'))
      .map((line) => (JSON.parse(line) as { reason: string }).reason),
  );
  assert.ok(reasons.has('quota_exceeded') && reasons.has('rate_limited'), [...reasons].join());
});
