/** How a request has spent its time, as its answer and its line in the log say it, against the started command. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { after, before, test } from 'node:test';
import { timeParts } from '../server/src/base/request-time.ts';
import { flightPython } from '../server/test/support/flight-python.ts';
import { Framehold } from '../server/test/support/framehold-process.ts';
import { timePasses } from '../server/test/support/passing-time.ts';
import { arrowBytes } from '../server/test/support/python.ts';

let framehold: Framehold;

before(async () => {
  framehold = await Framehold.start({ env: { FRAMEHOLD_SQL_PROCESSES_MAX: '1' } });
  const { t } = await arrowBytes({ t: "pa.table({'n': pa.array(range(1000), pa.int64())})" });
  const { id } = await send('/v1/frames/t', {
    method: 'PUT',
    headers: { 'content-type': 'application/vnd.apache.arrow.stream' },
    body: t,
  });
  putId = id;
});
after(() => framehold?.remove());

let putId: string;

interface Sent {
  readonly id: string;
  readonly timing: string;
  readonly text: string;
}

async function send(path: string, init: RequestInit = {}): Promise<Sent> {
  const id = randomUUID();
  const answer = await fetch(framehold.url + path, {
    ...init,
    headers: { ...init.headers, 'x-request-id': id },
  });
  const text = await answer.text();
  assert.ok(answer.ok, `${path}: ${text}`);
  return { id, timing: answer.headers.get('server-timing') ?? '', text };
}

const ask = (sql: string) =>
  send('/v1/sql', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: sql });

type Line = Readonly<Record<string, number | undefined>>;

async function lineOf(id: string, event = 'http-request'): Promise<Line> {
  const line = (await framehold.linesUntilNow()).find((each) => each.includes(event) && each.includes(id));
  assert.ok(line !== undefined, `there is a line of ${id}`);
  const entry = JSON.parse(line) as Line;
  const parts = timeParts.map((part) => entry[`${part}Ms`] ?? 0);
  const sum = parts.reduce((before, ms) => before + ms, 0);
  assert.ok(sum <= (entry.durationMs ?? 0) + 0.01, `the parts are not more than the whole: ${line}`);
  return entry;
}

/** Some tens of milliseconds of work, different each time, so that no answer is kept. */
const work = (salt: number) =>
  `select count(*) as c from range(4000000) r(i) where hash(i + ${salt}) % 7 = 1`;

test('a put has waited for the store and for the catalog', async () => {
  const line = await lineOf(putId);
  assert.ok((line.storeMs ?? 0) > 0 && (line.catalogMs ?? 0) > 0, JSON.stringify(line));
});

test('a statement says what it has waited for, in its answer and in the log', async () => {
  const { id, timing } = await ask('select sum(n) as s from t');
  assert.match(timing, /^queue;dur=[\d.]+, prepare;dur=[\d.]+, first;dur=[\d.]+, .*engine;dur=[\d.]+/);
  assert.equal(timing.match(/queue;/g)?.length, 1);
  const line = await lineOf(id);
  assert.ok((line.engineMs ?? 0) > 0, JSON.stringify(line));
});

test('a statement that finds the engine taken has waited in the queue', async () => {
  const asked = await Promise.all([1, 2, 3, 4].map((salt) => ask(work(salt))));
  const lines = await Promise.all(asked.map(({ id }) => lineOf(id)));
  const queued = lines.map(({ queueMs = 0 }) => queueMs);
  assert.ok(Math.max(...queued) > 1, `one of them has waited: ${queued.join()}`);
});

test('rows that are read slowly were sent slowly', async () => {
  const id = randomUUID();
  const body = "select repeat('x', 1000) as s, i from range(30000) r(i)";
  const headers = { 'content-type': 'text/plain', 'x-request-id': id };
  await new Promise<void>((resolve, reject) => {
    const sent = httpRequest(`${framehold.url}/v1/sql?fmt=csv`, { method: 'POST', headers }, (answer) => {
      void (async () => {
        await timePasses(1_000, 'a reader that is slow');
        answer.resume().on('end', resolve);
      })().catch(reject);
    });
    sent.on('error', reject).end(body);
  });
  const line = await lineOf(id);
  assert.ok((line.sendingMs ?? 0) >= 200, JSON.stringify(line));
  assert.ok((line.renderingMs ?? 0) > 0, JSON.stringify(line));
});

test('a read says what it has waited for; answers that are frozen do not, but the log does', async () => {
  const { id, timing } = await send('/v1/frames/t/rows?fmt=csv&offset=3');
  assert.match(timing, /rendering;dur=/);
  assert.ok(((await lineOf(id)).renderingMs ?? 0) > 0);
  assert.equal((await send('/ping')).timing, '');
  const frozen = await send('/exec?handle=t&fmt=json&limit=7');
  assert.equal(frozen.timing, '');
  assert.ok(((await lineOf(frozen.id)).renderingMs ?? 0) > 0);
});

test('a Flight call has the same in its line', async () => {
  await flightPython(framehold.grpcUrl, `put(by_path('f'), numbers(1, 2, 3))\nget('f')`);
  const lines = (await framehold.linesUntilNow()).filter((line) => line.includes('"flight-call"'));
  const put = JSON.parse(lines.find((line) => line.includes('/DoPut')) ?? '{}') as Line;
  assert.ok((put.storeMs ?? 0) > 0 && (put.catalogMs ?? 0) > 0, JSON.stringify(put));
});
