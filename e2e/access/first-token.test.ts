/** A server that requires credentials and has none: its first start makes a token, once, and prints it once. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Cluster } from '../../server/test/support/cluster/cluster.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { newToken } from '../../server/test/support/framehold-tokens.ts';
import { eventually } from '../../server/test/support/patience.ts';

const made: { remove(): Promise<void> }[] = [];
after(async () => {
  for (const each of made) await each.remove();
});

async function prepared(flags: readonly string[]): Promise<Framehold> {
  const framehold = Framehold.prepare({ flags });
  made.push(framehold);
  return framehold;
}

const tokensIn = (lines: readonly string[]) =>
  lines.filter((line) => /^ +fh_/.test(line)).map((line) => line.trim());
const greeted = (framehold: Framehold) =>
  framehold.until('the greeting', () =>
    framehold.lines.some((line) => line.startsWith('Framehold is ready')) ? true : null,
  );
/** Null if there is none yet. */
const tokensOf = (servers: readonly Framehold[]) => {
  const tokens = servers.flatMap(({ lines }) => tokensIn(lines));
  return tokens.length === 0 ? null : tokens;
};
const statusFor = async (url: string, token?: string) =>
  (
    await fetch(`${url}/v1/frames`, {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    })
  ).status;
const created = (lines: readonly string[]) =>
  lines.filter((line) => line.includes('"token.create"') && line.includes('"audit"'));

test('one node: the first start makes a token for the tenant default, and the second start does not', async () => {
  const framehold = await prepared(['--auth-required']);
  await framehold.start();
  // On standard output; the greeting is on standard error, and may come first.
  const [token = '', ...more] = await framehold.until('the token', () => tokensOf([framehold]));
  assert.match(token, /^fh_/);
  assert.deepEqual(more, []);
  assert.equal(await statusFor(framehold.url), 401);
  assert.equal(await statusFor(framehold.url, token), 200);
  const put = await fetch(`${framehold.url}/v1/frames/trades`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'text/csv' },
    body: 'a\n1\n',
  });
  assert.equal(put.status, 201);
  const lines = await framehold.until('the audit log', () =>
    created(framehold.lines).length > 0 ? framehold.lines : null,
  );
  assert.match(created(lines)[0] ?? '', /"tenant":"default","caller":"first-start"/);
  const inLog = lines.filter((line) => line.startsWith('{') && line.includes(token));
  assert.deepEqual(inLog, [], 'the log does not have the token');

  await framehold.stop();
  await framehold.start();
  await greeted(framehold);
  assert.deepEqual([tokensIn(framehold.lines), created(framehold.lines)], [[], []]);
  assert.equal(await statusFor(framehold.url, token), 200);
});

test('no token is made if there is one, nor if it is not required', async () => {
  const first = await prepared(['--auth-required', 'true']);
  newToken(first.dataDirectory, 'default', 'read');
  const open = await prepared([]);
  for (const framehold of [first, open]) {
    await framehold.start();
    await greeted(framehold);
    assert.deepEqual(tokensIn(framehold.lines), []);
  }
});

test('two nodes that start together over PostgreSQL make one token, which counts on both', async () => {
  const cluster = await Cluster.prepare({ flags: ['--auth-required'] });
  made.push(cluster);
  const nodes = await Promise.all([cluster.addNode(), cluster.addNode()]);
  await Promise.all(nodes.map((node) => node.start()));
  const both = nodes.map(({ framehold }) => framehold);
  await Promise.all(both.map(greeted));
  await eventually('the token', () => tokensOf(both) !== null);
  const [token = '', ...more] = tokensOf(both) ?? [];
  assert.match(token, /^fh_/);
  assert.deepEqual(more, []);
  for (const { framehold } of nodes) assert.equal(await statusFor(framehold.url, token), 200);
});
