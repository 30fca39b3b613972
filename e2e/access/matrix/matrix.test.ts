/**
 * Every route, Flight verb, action and kind of statement, with every kind of credential, through the clients that people have. What is
 * expected of a cell follows from the table of access; the cells of the decision itself are in test/frames/access/access.test.ts.
 */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { FlightService } from '../../../server/src/flight/gen/Flight_pb.js';
import { Health } from '../../../server/src/flight/gen/health_pb.js';
import { type Action, actions } from '../../../server/src/frames/access/access.ts';
import { RawCall } from '../../../server/test/flight/raw-call.ts';
import { verifyTrail } from './audit-log.ts';
import { type Cell, cellsOf, type Holder, holders, isLink, tenants } from './cells.ts';
import { flightAsks } from './flight-asks.ts';
import { askFlight } from './flight-way.ts';
import { httpAsks } from './http-asks.ts';
import { askHttp } from './http-way.ts';
import { postgresAsks } from './postgres-asks.ts';
import { askPostgres } from './postgres-way.ts';
import { adbcAsks, jdbcAsks } from './sql-asks.ts';
import { askAdbc, askJdbc } from './sql-ways.ts';
import { Stage } from './stage.ts';

const allHolders = Object.keys(holders) as Holder[];
/** Flight has no URLs. */
const flightHolders = allHolders.filter((holder) => holder !== 'link-in-url');
const sqlHolders = flightHolders.filter((holder) => holder !== 'other-link' && holder !== 'other-admin');
/** Links and operators come no further than the log-in, which e2e/postgres/access.test.ts looks at. */
const postgresHolders = allHolders.filter((holder) => !isLink(holder) && holder !== 'operator');
let stage: Stage;
let tokens: Readonly<Partial<Record<Holder, string>>>;
let listedActions: readonly string[];

before(async () => {
  stage = await Stage.start({
    FRAMEHOLD_POSTGRES_BIND_ADDRESS: '127.0.0.1:0',
    FRAMEHOLD_POSTGRES_ALLOW_PLAINTEXT: 'true',
  });
  tokens = await stage.tokens();
});
after(() => stage[Symbol.asyncDispose]());

function secretOf(cell: Cell<unknown>): string | undefined {
  return isLink(cell.holder) ? stage.linkFor(cell) : tokens[cell.holder];
}

test('HTTP', async (t) => {
  const cells = cellsOf('http', httpAsks, allHolders);
  await stage.prepare(cells);
  const from = stage.framehold.lines.length;
  const outcomes = await askHttp(stage, cells, secretOf);
  const told = await verifyTrail(stage, from, cells);
  await stage.verify('http', cells, outcomes);
  const posted = cells.filter(({ ask, expected }) => ask.title === 'POST /v1/frames' && expected === 'ok');
  const byOwner = posted.filter(({ holder }) => holders[holder]?.tenant === tenants.owner);
  // A put without a name gets a new one, in the tenant of its caller.
  assert.equal(await stage.mintedNames(), byOwner.length);
  t.diagnostic(`${cells.length} cells, ${told} of them in the audit log`);
});

test('pyarrow.flight', async (t) => {
  const cells = cellsOf('flight', flightAsks, flightHolders);
  await stage.prepare(cells);
  const from = stage.framehold.lines.length;
  const { outcomes, actions: listed } = await askFlight(stage, cells, secretOf, tokens.read);
  listedActions = listed;
  const told = await verifyTrail(stage, from, cells);
  await stage.verify('flight', cells, outcomes);
  t.diagnostic(`${cells.length} cells, ${told} of them in the audit log`);
});

test('ADBC with a token', async (t) => {
  const cells = cellsOf('adbc', adbcAsks, sqlHolders);
  await stage.prepare(cells);
  const optionsOf = (cell: Cell<unknown>): Record<string, string> => {
    const secret = secretOf(cell);
    return secret === undefined ? {} : { 'adbc.flight.sql.authorization_header': `Bearer ${secret}` };
  };
  await stage.verify('adbc', cells, await askAdbc(stage, cells, optionsOf));
  t.diagnostic(`${cells.length} cells`);
});

test('JDBC with a user and a token', async (t) => {
  const cells = cellsOf('jdbc', jdbcAsks, sqlHolders);
  await stage.prepare(cells);
  await stage.verify('jdbc', cells, await askJdbc(stage, cells, secretOf));
  t.diagnostic(`${cells.length} cells`);
});

test("PostgreSQL's protocol with a token as password", async (t) => {
  const cells = cellsOf('postgres', postgresAsks, postgresHolders);
  await stage.verify('postgres', cells, await askPostgres(stage, cells, secretOf));
  t.diagnostic(`${cells.length} cells`);
});

test('the matrix knows every route', async () => {
  const headers = { authorization: `Bearer ${tokens.read}` };
  const answer = await stage.client.ask('/v1/openapi.json', { headers });
  const { paths } = JSON.parse(answer.body.toString()) as { paths: Record<string, object> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  assert.deepEqual([...new Set(httpAsks.map(({ how }) => how.route))].sort(), routes.sort());
});

test('the matrix knows every action and every method of Flight', () => {
  const titles = flightAsks.map(({ title }) => title);
  const known = titles.filter((title) => title.startsWith('action ')).map((title) => title.slice(7));
  assert.deepEqual(known.sort(), [...listedActions].sort());
  // pyarrow cannot send PollFlightInfo: below it is sent by hand.
  const verbs = new Set(['DoAction', 'PollFlightInfo', ...titles]);
  for (const { name } of FlightService.methods) assert.ok(verbs.has(name), name);
});

test('the matrix has every action of the access table', () => {
  const needed = [...httpAsks, ...flightAsks].flatMap(({ needs }) => (needs === 'open' ? [] : needs));
  const asked = new Set<Action>(needed.map(([action]) => action));
  assert.deepEqual([...asked].sort(), (Object.keys(actions) as Action[]).sort());
});

test('PollFlightInfo asks for a credential; the service of health does not', async () => {
  const address = new URL(stage.framehold.grpcUrl).host;
  const outcomeOf = async (path: string, holder: Holder) => {
    const token = tokens[holder];
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const call = new RawCall(address, path, headers);
    call.stream.end(Buffer.alloc(5));
    return (await call.status())['framehold-code'] ?? 'ok';
  };
  const poll = `/${FlightService.typeName}/PollFlightInfo`;
  for (const holder of ['none', 'wrong', 'expired', 'revoked'] as const)
    assert.equal(await outcomeOf(poll, holder), 'unauthenticated', holder);
  assert.equal(await outcomeOf(poll, 'read'), 'unimplemented');
  assert.equal(await outcomeOf(`/${Health.typeName}/Check`, 'none'), 'ok');
});

test('an unknown route or method is 401 without a valid credential', async () => {
  for (const [method, path] of [
    ['GET', '/v1/nothing'],
    ['PATCH', '/v1/frames'],
    ['OPTIONS', '/exec'],
    ['TRACE', '/v1/frames'],
  ] as const) {
    const without = await stage.client.ask(path, { method });
    assert.equal(without.status, 401, `${method} ${path}`);
    const authorization = `Bearer ${tokens.revoked}`;
    assert.equal((await stage.client.ask(path, { method, headers: { authorization } })).status, 401);
  }
});
