/** Statements that wait for a place in the engine while their credential is revoked, or expires. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { send } from '../../server/test/support/frame-client.ts';
import { Framehold } from '../../server/test/support/framehold-process.ts';
import { frameholdToken, newToken } from '../../server/test/support/framehold-tokens.ts';
import { machinePace } from '../../server/test/support/machine-pace.ts';
import { arrowBytes } from '../../server/test/support/python.ts';

let framehold: Framehold;
let owner: string;
before(async () => {
  framehold = await Framehold.start({ env: { FRAMEHOLD_SQL_PROCESSES_MAX: '1' } });
  owner = newToken(framehold.dataDirectory, 'a', 'write');
  const { table } = await arrowBytes({ table: "pa.table({'n': pa.array([1, 2, 3])})" });
  const headers = { authorization: `Bearer ${owner}` };
  await send(framehold.url, '/v1/frames/prices', table, { headers, status: 201 });
});
after(() => framehold.remove());

function sql(token: string, text: string): Promise<Response> {
  return fetch(`${framehold.url}/v1/sql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ sql: text }),
  });
}

/** Holds the only place in the engine until it is called. */
async function holdEngine(): Promise<() => void> {
  const held = await sql(owner, 'select range n from range(1000000000)');
  assert.equal(held.status, 200);
  // Refers to the answer: fetch cancels one that the garbage collector finds, which would free the place.
  return () => void held.body?.cancel();
}

async function queued(count: number): Promise<void> {
  await framehold.until(`${count} statements that wait`, async () => {
    const answer = await fetch(`${framehold.url}/v1/queries`, {
      headers: { authorization: `Bearer ${owner}` },
    });
    const { queries } = (await answer.json()) as { queries: readonly { state: string }[] };
    return queries.filter(({ state }) => state === 'waiting').length === count ? true : null;
  });
}

async function isHeld(): Promise<boolean> {
  const headers = { authorization: `Bearer ${owner}` };
  return (await fetch(`${framehold.url}/v1/frames/prices`, { headers })).status === 200;
}

test('nothing begins for statements that waited while their token was revoked', async () => {
  const token = newToken(framehold.dataDirectory, 'a', 'write');
  const release = await holdEngine();
  const waiting = [
    'drop table prices',
    'select * from prices',
    'create table copied as select * from prices',
  ].map((text) => sql(token, text));
  await queued(waiting.length);
  frameholdToken(framehold.dataDirectory, 'revoke', token);
  release();
  const statuses = (await Promise.all(waiting)).map(({ status }) => status);
  assert.deepEqual(statuses, [401, 401, 401]);
  assert.equal(await isHeld(), true);
});

test('nor for one whose token expired meanwhile', async () => {
  // Long enough that the statement waits before it is over; much shorter than the minute that it may wait.
  const seconds = Math.min(20, Math.ceil(6 * machinePace()));
  const token = newToken(framehold.dataDirectory, 'a', 'write', `${seconds}s`);
  const expiresAt = Date.now() + seconds * 1_000;
  const release = await holdEngine();
  const waiting = sql(token, 'drop table prices');
  await queued(1);
  await framehold.until('the end of the token', () => (Date.now() > expiresAt ? true : null));
  release();
  const answer = await waiting;
  assert.equal(answer.status, 401);
  assert.equal(((await answer.json()) as { code: string }).code, 'unauthenticated');
  assert.equal(await isHeld(), true);
});
