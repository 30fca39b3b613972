/** Faults that somebody found who read the code to get in, out or in the way; each was proven on a running server before it was mended. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { Agent, get as getSecure } from 'node:https';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { flightPython } from '../../server/test/support/flight-python.ts';
import { putFrame } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { frameholdToken, newToken } from '../../server/test/support/framehold-tokens.ts';
import { assertTook } from '../../server/test/support/machine-pace.ts';
import { eventually } from '../../server/test/support/patience.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { rawHttp } from '../../server/test/support/raw-http.ts';
import { TestAuthority } from '../../server/test/support/test-authority.ts';
import { underAttack } from './exhaustion/under-attack.ts';

let framehold: Framehold;
let database: FakeUpstream;
before(async () => {
  database = await FakeUpstream.start(({ socket }) => socket.end());
  framehold = await Framehold.start({
    env: { FRAMEHOLD_TSDB_HTTP_URL: database.url, FRAMEHOLD_LOG_LEVEL: 'trace' },
  });
});
after(async () => {
  await framehold.remove();
  await database.stop();
});

test('the data directory is for its owner only', () => {
  assert.equal(statSync(framehold.dataDirectory).mode & 0o077, 0);
});

test('thousands of names among a hundred thousand columns are found in a moment', async (t) => {
  const { wide } = await arrowBytes({
    wide: `pa.table({f'c{i}': pa.array([i % 100], pa.int8()) for i in range(100_000)})`,
  });
  await putFrame(framehold.url, 'wide', wide);
  // From the end to the beginning, so that no order of the columns helps.
  const chosen = Array.from({ length: 5_000 }, (_, index) => 99_999 - index * 19);
  const names = chosen.map((column) => `c${column}`).join(',');
  await underAttack(t, framehold, { growthMegabytes: 600 }, async () => {
    const began = performance.now();
    // Not fetch, which takes headers of 16 kB, and the links of the answer have the names in them.
    const { status, body } = await rawHttp(
      framehold.url,
      `GET /v1/frames/wide/rows?columns=${names}&fmt=csv HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    );
    assert.equal(status, 200);
    const [, row] = body.toString().split(/\r?\n/);
    assert.equal(row, chosen.map((column) => column % 100).join(','));
    assertTook(performance.now() - began, 5_000);
  });
});

test('a query for the external database of nothing but beginnings of comments is refused in a moment', async (t) => {
  // As long as the database takes, and far longer.
  for (const [count, code] of [
    [10_000, 'sql_refused'],
    [300_000, 'url_too_long'],
  ] as const)
    await underAttack(t, framehold, { growthMegabytes: 300 }, async () => {
      const began = performance.now();
      const answer = await fetch(`${framehold.url}/v1/sql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ sql: `select * from tsdb('${'/*a'.repeat(count)}')` }),
      });
      assert.equal(((await answer.json()) as { code: string }).code, code);
      assertTook(performance.now() - began, 5_000);
    });
});

const odd = {
  'an integer of more than 64 bits': {
    sql: 'select $1 as n',
    parameters: '[9223372036854775808]',
    gives: '[[9223372036854775808]]',
  },
  'such integers in a list': {
    sql: 'select $1[2] as n',
    parameters: '[[1, -9223372036854775809]]',
    gives: '[[-9223372036854775809]]',
  },
  'an integer of more than 128 bits': {
    sql: 'select $1',
    parameters: `[${'9'.repeat(40)}]`,
    gives: 'sql_invalid',
  },
  'a number of a million digits': {
    sql: 'select $1',
    parameters: `[${'9'.repeat(900_000)}]`,
    gives: 'bad_request',
  },
  'a large integer beside a fraction': {
    sql: 'select $1',
    parameters: '[[99999999999999999999, 1.5]]',
    gives: 'sql_invalid',
  },
  'parameters that do not begin with 1': { sql: 'select $70000', parameters: '[1]', gives: 'sql_invalid' },
};
for (const [what, { sql, parameters, gives }] of Object.entries(odd)) {
  test(`${what} is exact or the caller's fault, never ours`, async () => {
    const answer = await fetch(`${framehold.url}/v1/sql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"sql": ${JSON.stringify(sql)}, "parameters": ${parameters}}`,
    });
    const text = await answer.text();
    const [, found = text] = /"(?:dataset|code)":"?(\[\[.*?\]\]|\w+)/.exec(text) ?? [];
    assert.equal(found, gives, text.slice(0, 300));
  });
}

test('the answer to a URL that cannot be read does not repeat it, and has the headers of every answer', async () => {
  const secret = `fhl_${'S'.repeat(40)}`;
  const line = (target: string) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
  for (const bytes of [
    line(`/v1/frames/t@1%/rows?link=${secret}`),
    line(`/v1/%zz?link=${secret}`),
    'NONSENSE\r\n\r\n',
  ]) {
    const answer = await rawHttp(framehold.url, bytes);
    assert.equal(answer.status, 400);
    assert.ok(!answer.body.includes(secret));
    for (const name of [
      'x-content-type-options',
      'content-security-policy',
      'x-frame-options',
      'referrer-policy',
    ])
      assert.ok(answer.headers[name] !== undefined, `${name} of ${bytes.slice(0, 20)}`);
  }
  assert.ok(!(await framehold.linesUntilNow()).some((each) => each.includes('SSSS')));
});

// From here on the server asks for credentials.

test('what a revoked credential has begun to put over HTTP changes nothing', async () => {
  const token = newToken(framehold.dataDirectory, 'a', 'write');
  const { port } = new URL(framehold.url);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'text/csv',
    'transfer-encoding': 'chunked',
  };
  const put = request({
    host: '127.0.0.1',
    port,
    method: 'PUT',
    path: '/v1/frames/late',
    headers,
    agent: false,
  });
  const status = new Promise<number>((resolve, reject) => {
    put.on('response', (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    put.on('error', reject);
  });
  put.write('n\n1\n');
  const ask = (path: string, shown: string) =>
    fetch(framehold.url + path, { headers: { authorization: `Bearer ${shown}` } });
  const metrics = newToken(framehold.dataDirectory, 'a', 'metrics');
  await eventually('the server has begun with it', async () =>
    (await (await ask('/metrics', metrics)).text()).includes('framehold_puts_open{state="running"} 1\n'),
  );
  frameholdToken(framehold.dataDirectory, 'revoke', token);
  await eventually('it knows of the revocation', async () => (await ask('/v1/frames', token)).status === 401);
  put.end('2\n');
  assert.equal(await status, 401);
  const other = newToken(framehold.dataDirectory, 'a', 'read');
  const held = await fetch(`${framehold.url}/v1/frames/late`, {
    headers: { authorization: `Bearer ${other}` },
  });
  assert.equal(held.status, 404);
  await framehold.until('audit line', () =>
    framehold.lines.some((each) => each.includes('"frame.put"') && each.includes('unauthenticated'))
      ? true
      : null,
  );
});

test('nor over Flight', async () => {
  const token = newToken(framehold.dataDirectory, 'a', 'write');
  const [begun, revoked] = [join(framehold.home, 'begun'), join(framehold.home, 'revoked')];
  const told = flightPython(
    framehold.grpcUrl,
    `
import os, time
options = flight.FlightCallOptions(headers=[(b'authorization', b'Bearer ' + given['token'].encode())])
batch = pa.record_batch({'n': pa.array([1, 2])})
writer, reader = client.do_put(flight.FlightDescriptor.for_path('late_too'), batch.schema, options)
writer.write_batch(batch)
open(given['begun'], 'w').close()
while not os.path.exists(given['revoked']):
    time.sleep(0.05)
try:
    writer.write_batch(batch)
    writer.done_writing()
    reader.read()
    writer.close()
    result = 'held'
except flight.FlightUnauthenticatedError as error:
    result = 'refused'
`,
    { token, begun, revoked },
  );
  await framehold.until('the first batch', () => (existsSync(begun) ? true : null));
  frameholdToken(framehold.dataDirectory, 'revoke', token);
  writeFileSync(revoked, '');
  assert.equal(await told, 'refused');
});

test('an expired certificate gives no access, neither on an open nor on a resumed connection', async () => {
  const authority = new TestAuthority();
  const server = authority.signServer();
  const secure = await Framehold.start({
    env: {
      FRAMEHOLD_TLS_CERT_FILE: server.cert,
      FRAMEHOLD_TLS_KEY_FILE: server.key,
      FRAMEHOLD_TLS_CLIENT_CA_FILE: authority.cert,
    },
  });
  try {
    frameholdToken(
      secure.dataDirectory,
      'create',
      '--tenant',
      'a',
      '--scope',
      'read',
      '--certificate',
      'short',
    );
    const end = new Date(Math.ceil(Date.now() / 1000) * 1000 + 6_000);
    const short = authority.signUntil('/CN=short', end);
    const agent = new Agent({
      keepAlive: true,
      maxSockets: 1,
      ca: readFileSync(authority.cert),
      cert: readFileSync(short.cert),
      key: readFileSync(short.key),
    });
    const ask = () =>
      new Promise<number>((resolve, reject) => {
        getSecure(`${secure.url}/v1/frames`, { agent }, (response) => {
          response.resume();
          response.on('end', () => resolve(response.statusCode ?? 0));
        }).on('error', reject);
      });
    assert.equal(await ask(), 200);
    await eventually('it has expired', () => Date.now() > end.getTime() + 1_000);
    assert.equal(await ask(), 401);
    agent.destroy();
    // A new connection of the same agent resumes the session of the first.
    assert.equal(await ask(), 401);
    agent.destroy();
  } finally {
    await secure.remove();
  }
});
