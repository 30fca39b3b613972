import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TenantSlots } from '../../../src/model/limits/tenant-slots.ts';
import type { StatementShape } from '../../../src/ports/engine.ts';
import type { Observation } from '../../../src/ports/observation.ts';
import type { IpcMessage } from '../../../src/ports/renderer.ts';
import { cachedMessages } from '../../../src/sql/cache/cached-rows.ts';
import { StatementCache } from '../../../src/sql/cache/statement-cache.ts';
import { StatementResources } from '../../../src/sql/statement-resources.ts';

const never = new AbortController().signal;
const text = { tenant: 'a', engine: 'duckdb', sql: 'FROM t' } as const;
const shape: StatementShape = {
  kind: 'query',
  target: null,
  tables: ['t'],
  upstreamQueries: [],
  catalog: [],
  parameterCount: 0,
  repeats: 'rows',
};
const described = {
  schemaMessage: new Uint8Array(8),
  markedSchemaMessage: new Uint8Array(8),
  columns: [],
};

function keptWith(bytesMax: number) {
  const observations: Observation[] = [];
  return { kept: new StatementCache(bytesMax, (each) => void observations.push(each)), observations };
}

/** Messages in memory that is used again for the next, as an engine gives them. */
async function* messagesOf(bodies: readonly (readonly number[])[]): AsyncGenerator<IpcMessage> {
  const memory = new Uint8Array(1_000_000);
  for (const body of bodies) {
    memory.fill(0xee);
    memory.set(body);
    yield {
      header: new Uint8Array([body.length]),
      bodyBytes: body.length,
      readBody: async (target) => target.set(memory.subarray(0, body.length)),
    };
  }
  memory.fill(0xee);
}

async function bodiesOf(messages: AsyncIterable<IpcMessage>): Promise<number[][]> {
  const bodies: number[][] = [];
  for await (const message of messages) {
    const body = new Uint8Array(message.bodyBytes);
    await message.readBody(body);
    bodies.push([...body]);
  }
  return bodies;
}

test('rows are kept when the last one was taken, in memory of their own', async () => {
  const { kept, observations } = keptWith(1_000_000);
  const bodies = [[1, 2, 3], [4], []];
  const passing = kept.slot('k', 'acme')?.cacheRows(described, messagesOf(bodies));
  assert.ok(passing);
  assert.deepEqual(await bodiesOf(passing), bodies);
  const answer = kept.answer([null, 'other', 'k']);
  assert.equal(answer?.kind, 'rows');
  assert.deepEqual(await bodiesOf(cachedMessages(answer, never)), bodies);
  assert.deepEqual(await bodiesOf(cachedMessages(answer, never)), bodies);
  assert.deepEqual(
    observations.map((each) => each.event),
    ['sql-answers', 'sql-answer'],
  );
});

test('rows that are not all taken, or that fail, are not kept', async () => {
  const { kept } = keptWith(1_000_000);
  const stopped = kept.slot('stopped', 'acme')?.cacheRows(described, messagesOf([[1], [2]]));
  for await (const _ of stopped ?? []) break;
  const failing = async function* () {
    yield* messagesOf([[1]]);
    throw new Error('no more');
  };
  await assert.rejects(
    bodiesOf(kept.slot('failed', 'acme')?.cacheRows(described, failing()) ?? messagesOf([])),
  );
  assert.equal(kept.answer(['stopped', 'failed']), null);
});

test('an answer takes a sixteenth at most, and all of them what was set', async () => {
  const { kept, observations } = keptWith(160_000);
  const large = Array.from({ length: 12_000 }, () => 7);
  const passing = kept.slot('large', 'acme')?.cacheRows(described, messagesOf([[1], large, [2]]));
  assert.ok(passing);
  assert.deepEqual(await bodiesOf(passing), [[1], large, [2]]);
  assert.equal(kept.answer(['large']), null);
  kept.slot('too large', 'acme')?.cacheBody(Buffer.alloc(10_001), 1);
  assert.equal(kept.answer(['too large']), null);
  for (let index = 0; index < 100; index++) kept.slot(`${index}`, 'acme')?.cacheBody(Buffer.alloc(10_000), 1);
  const sizes = observations.flatMap((each) => (each.event === 'sql-answers' ? [each] : []));
  assert.ok(sizes.every(({ bytes }) => bytes <= 160_000));
  assert.equal(sizes.at(-1)?.count, 15);
  assert.equal(kept.answer(['0']), null);
  assert.equal(kept.answer(['99'])?.kind, 'body');
});

test('a small body does not hold the larger memory that it was cut from', () => {
  const { kept } = keptWith(1_000_000);
  kept.slot('k', 'acme')?.cacheBody(Buffer.from('some rows'), 1);
  const answer = kept.answer(['k']);
  assert.equal(answer?.kind, 'body');
  assert.equal(answer.body.toString(), 'some rows');
  assert.equal(answer.body.buffer.byteLength, answer.body.byteLength);
});

test('what was begun before the bytes were found damaged is not kept after', () => {
  const { kept } = keptWith(1_000_000);
  kept.slot('before', 'acme')?.cacheBody(Buffer.from('x'), 1);
  const place = kept.slot('during', 'acme');
  kept.clear();
  place?.cacheBody(Buffer.from('x'), 1);
  assert.equal(kept.answer(['before', 'during']), null);
  kept.slot('after', 'acme')?.cacheBody(Buffer.from('x'), 1);
  assert.equal(kept.answer(['after'])?.kind, 'body');
});

test('a text is known to the tenant and for the engine that it was sent by and to', () => {
  const { kept } = keptWith(1_000_000);
  kept.of(text).learnShape(shape);
  assert.equal(kept.of(text).shape, shape);
  assert.equal(kept.of(text).repeating, shape);
  assert.equal(kept.of({ ...text, tenant: 'b' }).shape, null);
  assert.equal(kept.of({ ...text, engine: 'spark' }).shape, null);
  assert.equal(kept.of({ ...text, sql: 'FROM  t' }).shape, null);
  const { repeats: _, ...once } = shape;
  kept.of({ ...text, sql: 'once' }).learnShape(once);
  assert.equal(kept.of({ ...text, sql: 'once' }).shape, once);
  assert.equal(kept.of({ ...text, sql: 'once' }).repeating, null);
});

test('texts, columns and answers share one budget', () => {
  const { kept, observations } = keptWith(8 * 1024 * 1024);
  const wide = { ...shape, tables: Array.from({ length: 1_000 }, (_, index) => `${index}`.padEnd(48)) };
  const texts = Array.from({ length: 200 }, (_, index) => ({ ...text, sql: `${index}` }));
  for (const each of texts) kept.of(each).learnShape(wide);
  const known = texts.filter((each) => kept.of(each).shape !== null).length;
  assert.equal(known, 69, 'texts with names of 120 KB in 8 MiB');
  // The text itself is not cached.
  const long = { ...text, sql: 'x'.repeat(1_000_000) };
  kept.of(long).learnShape(shape);
  assert.equal(kept.of(long).shape, shape);
  assert.ok(texts.filter((each) => kept.of(each).shape !== null).length >= known - 1);
  const description = { isQuery: true, parameterSchemaMessage: new Uint8Array(0) };
  const described = (sql: string) => kept.of({ ...text, sql });
  described('wide').learnDescription(shape, [], { ...description, schemaMessage: new Uint8Array(300_000) });
  assert.equal(described('wide').description([]), null);
  for (let index = 0; index < 100; index++)
    described(`${index}`).learnDescription(shape, [], {
      ...description,
      schemaMessage: new Uint8Array(200_000),
    });
  const found = Array.from({ length: 100 }, (_, index) => described(`${index}`).description([]));
  assert.equal(found.filter((each) => each !== null).length, 41);
  assert.ok(texts.every((each) => kept.of(each).shape === null));
  const bytes = observations.flatMap((each) => (each.event === 'sql-answers' ? [each.bytes] : []));
  assert.ok(bytes.length > 0 && bytes.every((each) => each <= 8 * 1024 * 1024));
});

test('a tenant displaces its own entries, and those of others down to an equal share', () => {
  const { kept } = keptWith(1_000_000);
  for (let index = 0; index < 200; index++) kept.slot(`b${index}`, 'b')?.cacheBody(Buffer.alloc(10_000), 1);
  for (let index = 0; index < 5; index++) kept.slot(`a${index}`, 'a')?.cacheBody(Buffer.alloc(10_000), 1);
  for (let index = 0; index < 500; index++)
    kept.of({ ...text, tenant: 'b', sql: `${index}` }).learnShape(shape);
  for (let index = 0; index < 5; index++) assert.equal(kept.answer([`a${index}`])?.kind, 'body');
});

test('the number of answers is told whatever else is cached', () => {
  const { kept, observations } = keptWith(160_000);
  kept.of(text).learnShape(shape);
  for (let index = 0; index < 30; index++) kept.slot(`${index % 20}`, 'a')?.cacheBody(Buffer.alloc(9_000), 1);
  kept.slot('too large', 'a')?.cacheBody(Buffer.alloc(10_001), 1);
  const isThere = (key: string) => kept.answer([key]) !== null;
  const there = Array.from({ length: 20 }, (_, index) => `${index}`).filter(isThere);
  const counts = () => observations.flatMap((each) => (each.event === 'sql-answers' ? [each.count] : []));
  assert.equal(counts().at(-1), there.length);
  kept.clear();
  assert.equal(counts().at(-1), 0);
});

test('a bound statement that is displaced gives its slot back, and so does one of the same text before', () => {
  const slots = new TenantSlots('queries', () => null);
  const { kept } = keptWith(1_000_000);
  const parked = () => {
    const resources = new StatementResources(slots, 'a');
    kept.of(text).park(resources);
    return resources;
  };
  parked();
  const second = parked();
  assert.equal(slots.count('a'), 1);
  assert.equal(kept.of({ ...text, tenant: 'b' }).take(), null);
  assert.equal(kept.of(text).take(), second);
  assert.equal(kept.of(text).take(), null);
  assert.equal(slots.count('a'), 1);
  kept.of(text).park(second);
  kept.clear();
  assert.equal(kept.of(text).take(), null);
  assert.equal(slots.count('a'), 0);
});

test('turned off, it knows texts only', () => {
  const { kept, observations } = keptWith(0);
  kept.of(text).learnShape(shape);
  kept.of(text).learnDescription(shape, [], {
    isQuery: true,
    schemaMessage: null,
    parameterSchemaMessage: new Uint8Array(0),
  });
  kept.missed();
  assert.equal(kept.of(text).shape, shape);
  assert.equal(kept.of(text).repeating, null);
  assert.equal(kept.of(text).description([]), null);
  assert.equal(kept.slot('k', 'acme'), null);
  assert.deepEqual(observations, []);
});
