/** The matrix once more for JSON Web Tokens of an issuer whose keys change in the middle. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { timePasses } from '../../../server/test/support/passing-time.ts';
import { eventually } from '../../../server/test/support/patience.ts';
import { TestIssuer, type TokenOptions } from '../../../server/test/support/test-issuer.ts';
import { type Ask, type Cell, cellsOf, type Holder, holders, isLink, tenants } from './cells.ts';
import { flightAsks } from './flight-asks.ts';
import { askFlight } from './flight-way.ts';
import { httpAsks } from './http-asks.ts';
import { askHttp } from './http-way.ts';
import { Stage } from './stage.ts';

/** One of each sort: the other ways ask for everything. */
const someOf = <How>(asks: readonly Ask<How>[], titles: readonly string[]) =>
  asks.filter(({ title }) => titles.includes(title));
const overHttp = someOf(httpAsks, [
  'GET /metrics',
  'GET /exec (handle)',
  'GET /exec (query)',
  'GET /v1/frames',
  'GET /v1/frames/{handle}',
  'PUT /v1/frames/{handle}',
  'DELETE /v1/frames/{handle}',
  'PUT /v1/frames/{handle}/shares/{tenant}',
  'POST /v1/sql (query)',
  'POST /v1/sql (insert)',
]);
const overFlight = someOf(flightAsks, [
  'Handshake',
  'ListFlights',
  'DoGet',
  'DoPut',
  'action drop',
  'action shares',
  'GetTables',
  'statement query',
  'update insert',
]);
/** `revoked` is what a token is whose key was withdrawn. An issuer cannot make an operator. */
const through = (Object.keys(holders) as Holder[]).filter(
  (holder) => !isLink(holder) && holder !== 'revoked' && holder !== 'operator',
);
const keysMaxAgeMs = 1_000;
/** For how long a verified token is not looked at again. */
const rememberedMs = 10_000;

type Tokens = Readonly<Partial<Record<Holder, string>>>;
const issuer = new TestIssuer();
/** The same name, the same ids of keys, other keys. */
const impostor = new TestIssuer();
let stage: Stage;
let old: Tokens;
let neverShown: string;
let rotatedAt: number;

before(async () => {
  await Promise.all([issuer.start(), impostor.start()]);
  stage = await Stage.start({
    FRAMEHOLD_AUTH_JWT_ISSUER: issuer.name,
    FRAMEHOLD_AUTH_JWT_AUDIENCE: 'framehold',
    FRAMEHOLD_AUTH_JWT_KEYS_URL: issuer.keysUrl,
    FRAMEHOLD_AUTH_JWT_KEYS_MAX_AGE_MS: String(keysMaxAgeMs),
  });
});
after(async () => {
  await stage[Symbol.asyncDispose]();
  await issuer.stop();
  await impostor.stop();
});

const asAdmin = { tenant: tenants.owner, scope: 'admin' };

async function tokensOf(): Promise<Tokens> {
  const made: Partial<Record<Holder, string>> = {
    wrong: await impostor.token(asAdmin),
    // Clocks may differ by half a minute.
    expired: await issuer.token(asAdmin, { expiresIn: -60 }),
  };
  for (const holder of through) {
    const identity = holders[holder];
    if (identity === null) continue;
    made[holder] = await issuer.token({ tenant: identity.tenant, scope: [...identity.scopes].join(' ') });
  }
  return made;
}

async function askAll(way: string, tokens: Tokens, holdersAsked: readonly Holder[]): Promise<number> {
  const secretOf = (cell: Cell<unknown>) => tokens[cell.holder];
  const http = cellsOf(`${way}h`, overHttp, holdersAsked);
  await stage.prepare(http);
  await stage.verify(`${way}h`, http, await askHttp(stage, http, secretOf));
  const flight = cellsOf(`${way}f`, overFlight, holdersAsked);
  await stage.prepare(flight);
  await stage.verify(`${way}f`, flight, (await askFlight(stage, flight, secretOf, undefined)).outcomes);
  return http.length + flight.length;
}

async function isLetIn(token: string): Promise<boolean> {
  const { status } = await stage.client.ask('/v1/frames', { headers: { authorization: `Bearer ${token}` } });
  assert.ok(status === 200 || status === 401, String(status));
  return status === 200;
}

test('with the first key', async (t) => {
  old = await tokensOf();
  neverShown = await issuer.token(asAdmin);
  t.diagnostic(`${await askAll('first', old, through)} cells`);
});

test('tokens that are signed rightly and meant for something else', async () => {
  const wrong: Record<string, TokenOptions> = {
    'another audience': { audience: 'another' },
    'another issuer': { issuer: 'https://another.test/' },
    'no end': { expiresIn: null },
  };
  for (const [what, options] of Object.entries(wrong))
    assert.equal(await isLetIn(await issuer.token(asAdmin, options)), false, what);
  assert.equal(await isLetIn(await issuer.token({ scope: 'admin' })), false, 'no tenant');
});

test('a claim that says operator is passed over', async () => {
  const token = await issuer.token({ tenant: tenants.owner, scope: 'read operator' });
  const headers = { authorization: `Bearer ${token}` };
  const statusOf = async (path: string) => (await stage.client.ask(path, { headers })).status;
  assert.deepEqual([await statusOf('/v1/frames'), await statusOf('/v1/tenants')], [200, 403]);
});

test('with the next key, while the first one is withdrawn', async (t) => {
  await timePasses(keysMaxAgeMs, 'the server has just asked the issuer, and does not ask again at once');
  await issuer.rotate();
  rotatedAt = performance.now();
  const tokens = await tokensOf();
  assert.equal(await isLetIn(tokens.read ?? ''), true, 'the new key is fetched');
  assert.equal(await isLetIn(neverShown), false, 'signed with the withdrawn key, and not verified before');
  t.diagnostic(`${await askAll('next', tokens, through)} cells`);
});

test('what the first key signed ends when it is no longer remembered', async (t) => {
  // The old key may count for as long as keys do before they are fetched again, and what it verified then for as long as that is remembered.
  const endMs = keysMaxAgeMs + rememberedMs + 500;
  await eventually('that time is over', () => performance.now() > rotatedAt + endMs);
  for (const [holder, token] of Object.entries(old)) assert.equal(await isLetIn(token), false, holder);
  t.diagnostic(`${await askAll('last', { revoked: old.admin ?? '' }, ['revoked'])} cells`);
});
