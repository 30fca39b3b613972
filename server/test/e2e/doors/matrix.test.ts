/**
 * Every route, Flight verb, action and kind of statement, with every kind of credential, through the clients that people have. What is
 * expected of a cell follows from the table of access; the cells of the decision itself are in test/frames/access.test.ts.
 */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { FlightService } from '../../../src/flight/gen/Flight_pb.js';
import { Health } from '../../../src/flight/gen/health_pb.js';
import { type Action, actions } from '../../../src/frames/access.ts';
import type { ErrorKind } from '../../../src/frames/errors.ts';
import { RawCall } from '../../flight/raw-call.ts';
import type { PlainAnswer } from '../../parts/plain-request.ts';
import { runPython } from '../../parts/python.ts';
import { type Cell, cellsOf, type Door, doors, isLink } from './matrix-cells.ts';
import { flightAsks } from './matrix-flight-asks.ts';
import { type HttpHow, httpAsks } from './matrix-http-asks.ts';
import { adbcAsks, jdbcAsks } from './matrix-sql-asks.ts';
import { askAdbc, askJdbc } from './matrix-sql-ways.ts';
import { atOnce, type Outcome, Stage } from './matrix-stage.ts';

const allDoors = Object.keys(doors) as Door[];
/** Flight has no URLs. */
const flightDoors = allDoors.filter((door) => door !== 'link-in-url');
const sqlDoors = flightDoors.filter((door) => door !== 'other-link' && door !== 'other-admin');
let stage: Stage;
let tokens: Readonly<Partial<Record<Door, string>>>;

before(async () => {
  stage = await Stage.start();
  tokens = await stage.tokens();
});
after(() => stage[Symbol.asyncDispose]());

test('HTTP', async (t) => {
  const cells = cellsOf('http', httpAsks, allDoors);
  await stage.prepare(cells);
  const outcomes = new Map<string, Outcome>();
  await atOnce(cells, async (cell) => {
    outcomes.set(cell.id, outcomeOf(await askHttp(cell)));
  });
  await stage.verify('http', cells, outcomes);
  const posted = cells.filter(({ ask, expected }) => ask.title === 'POST /v1/frames' && expected === 'ok');
  // Whoever puts without a name has a new one, in the tenant that they belong to.
  assert.equal(
    await stage.mintedNames(),
    posted.filter(({ door }) => doors[door]?.tenant === 'owner').length,
  );
  t.diagnostic(`${cells.length} cells`);
});

function askHttp(cell: Cell<HttpHow>): Promise<PlainAnswer> {
  const { how } = cell.ask;
  const path = how.path(cell.handle);
  const request = how.request?.(cell.handle, stage.rows) ?? {};
  if (cell.door === 'link-in-url') {
    const mark = path.includes('?') ? '&' : '?';
    return stage.client.ask(`${path}${mark}link=${stage.linkFor(cell)}`, request);
  }
  const secret = secretOf(cell);
  const authorization = secret === undefined ? {} : { authorization: `Bearer ${secret}` };
  return stage.client.ask(path, { ...request, headers: { ...request.headers, ...authorization } });
}

const kindsWithoutBody: Readonly<Record<number, ErrorKind>> = {
  401: 'unauthenticated',
  403: 'access_denied',
  404: 'frame_not_found',
};

function outcomeOf({ status, rawHeaders, body }: PlainAnswer): Outcome {
  const text = `${rawHeaders.join('\n')}\n${body.toString('latin1')}`;
  if (status < 300) return { kind: 'ok', text };
  // HEAD is answered with the head alone.
  if (body.length === 0) return { kind: kindsWithoutBody[status] ?? String(status), text };
  return { kind: String((JSON.parse(body.toString()) as { code?: unknown }).code), text };
}

let listedActions: readonly string[];

test('pyarrow.flight', async (t) => {
  const cells = cellsOf('flight', flightAsks, flightDoors);
  await stage.prepare(cells);
  const request = {
    url: stage.framehold.grpcUrl,
    rows: Buffer.from(stage.rows).toString('base64'),
    lister: tokens.read,
    cells: cells.map((cell) => ({ id: cell.id, how: cell.ask.how(cell.handle), secret: secretOf(cell) })),
  };
  const script = join(import.meta.dirname, '..', 'python', 'matrix_flight.py');
  const answer = (await runPython([script], request)) as {
    outcomes: Record<string, Outcome>;
    actions: string[];
  };
  listedActions = answer.actions;
  await stage.verify('flight', cells, new Map(Object.entries(answer.outcomes)));
  t.diagnostic(`${cells.length} cells`);
});

test('ADBC with a token', async (t) => {
  const cells = cellsOf('adbc', adbcAsks, sqlDoors);
  await stage.prepare(cells);
  const header = 'adbc.flight.sql.authorization_header';
  const optionsOf = (cell: Cell<unknown>): Record<string, string> => {
    const secret = secretOf(cell);
    return secret === undefined ? {} : { [header]: `Bearer ${secret}` };
  };
  await stage.verify('adbc', cells, await askAdbc(stage, cells, optionsOf));
  t.diagnostic(`${cells.length} cells`);
});

test('JDBC with a user and a token', async (t) => {
  const cells = cellsOf('jdbc', jdbcAsks, sqlDoors);
  await stage.prepare(cells);
  await stage.verify('jdbc', cells, await askJdbc(stage, cells, secretOf));
  t.diagnostic(`${cells.length} cells`);
});

function secretOf(cell: Cell<unknown>): string | undefined {
  return isLink(cell.door) ? stage.linkFor(cell) : tokens[cell.door];
}

test('the matrix knows every action and every method of Flight', () => {
  const titles = flightAsks.map(({ title }) => title);
  const known = titles.filter((title) => title.startsWith('action ')).map((title) => title.slice(7));
  assert.deepEqual(known.sort(), [...listedActions].sort());
  // pyarrow cannot send it; a call by hand does, in the next test.
  const verbs = new Set(['DoAction', 'PollFlightInfo', ...titles]);
  for (const { name } of FlightService.methods) assert.ok(verbs.has(name), name);
});

test('the matrix has every action of the access table', () => {
  const needed = [...httpAsks, ...flightAsks].flatMap(({ needs }) => (needs === 'open' ? [] : needs));
  const asked = new Set<Action>(needed.map(([action]) => action));
  assert.deepEqual([...asked].sort(), (Object.keys(actions) as Action[]).sort());
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

test('PollFlightInfo asks for a credential; the service of health does not', async () => {
  const address = new URL(stage.framehold.grpcUrl).host;
  const statusOf = async (path: string, door: Door) => {
    const token = tokens[door];
    const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const call = new RawCall(address, path, headers);
    call.stream.end(Buffer.alloc(5));
    return (await call.status())['framehold-code'] ?? 'ok';
  };
  const poll = `/${FlightService.typeName}/PollFlightInfo`;
  for (const door of ['none', 'wrong', 'expired', 'revoked'] as const)
    assert.equal(await statusOf(poll, door), 'unauthenticated', door);
  assert.equal(await statusOf(poll, 'read'), 'unimplemented');
  assert.equal(await statusOf(`/${Health.typeName}/Check`, 'none'), 'ok');
});
