import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StatementShape } from '../../../src/ports/engine.ts';
import type { Observation } from '../../../src/ports/observation.ts';
import type { IpcMessage } from '../../../src/ports/renderer.ts';
import { KeptStatements, keptMessages } from '../../../src/sql/repeated/kept-statements.ts';

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
  return { kept: new KeptStatements(bytesMax, (each) => void observations.push(each)), observations };
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
  const passing = kept.place('k', 'acme')?.keepRows(described, messagesOf(bodies));
  assert.ok(passing);
  assert.deepEqual(await bodiesOf(passing), bodies);
  const answer = kept.answer([null, 'other', 'k']);
  assert.equal(answer?.kind, 'rows');
  assert.deepEqual(await bodiesOf(keptMessages(answer, never)), bodies);
  assert.deepEqual(await bodiesOf(keptMessages(answer, never)), bodies);
  assert.deepEqual(
    observations.map((each) => each.event),
    ['sql-answers', 'sql-answer'],
  );
});

test('rows that are not all taken, or that fail, are not kept', async () => {
  const { kept } = keptWith(1_000_000);
  const stopped = kept.place('stopped', 'acme')?.keepRows(described, messagesOf([[1], [2]]));
  for await (const _ of stopped ?? []) break;
  const failing = async function* () {
    yield* messagesOf([[1]]);
    throw new Error('no more');
  };
  await assert.rejects(
    bodiesOf(kept.place('failed', 'acme')?.keepRows(described, failing()) ?? messagesOf([])),
  );
  assert.equal(kept.answer(['stopped', 'failed']), null);
});

test('an answer takes a sixteenth at most, and all of them what was set', async () => {
  const { kept, observations } = keptWith(160_000);
  const large = Array.from({ length: 12_000 }, () => 7);
  const passing = kept.place('large', 'acme')?.keepRows(described, messagesOf([[1], large, [2]]));
  assert.ok(passing);
  assert.deepEqual(await bodiesOf(passing), [[1], large, [2]]);
  assert.equal(kept.answer(['large']), null);
  kept.place('too large', 'acme')?.keepBody(Buffer.alloc(10_001), 1);
  assert.equal(kept.answer(['too large']), null);
  for (let index = 0; index < 100; index++) kept.place(`${index}`, 'acme')?.keepBody(Buffer.alloc(10_000), 1);
  const sizes = observations.flatMap((each) => (each.event === 'sql-answers' ? [each] : []));
  assert.ok(sizes.every(({ bytes }) => bytes <= 160_000));
  assert.equal(sizes.at(-1)?.count, 15);
  assert.equal(kept.answer(['0']), null);
  assert.equal(kept.answer(['99'])?.kind, 'body');
});

test('a small body does not hold the larger memory that it was cut from', () => {
  const { kept } = keptWith(1_000_000);
  kept.place('k', 'acme')?.keepBody(Buffer.from('some rows'), 1);
  const answer = kept.answer(['k']);
  assert.equal(answer?.kind, 'body');
  assert.equal(answer.body.toString(), 'some rows');
  assert.equal(answer.body.buffer.byteLength, answer.body.byteLength);
});

test('what was begun before the bytes were found damaged is not kept after', () => {
  const { kept } = keptWith(1_000_000);
  kept.place('before', 'acme')?.keepBody(Buffer.from('x'), 1);
  const place = kept.place('during', 'acme');
  kept.clear();
  place?.keepBody(Buffer.from('x'), 1);
  assert.equal(kept.answer(['before', 'during']), null);
  kept.place('after', 'acme')?.keepBody(Buffer.from('x'), 1);
  assert.equal(kept.answer(['after'])?.kind, 'body');
});

test('a text is known to the tenant and for the engine that it was sent by and to', () => {
  const { kept } = keptWith(1_000_000);
  kept.learnShape(text, shape);
  assert.equal(kept.shape(text), shape);
  assert.equal(kept.shape({ ...text, tenant: 'b' }), null);
  assert.equal(kept.shape({ ...text, engine: 'spark' }), null);
  assert.equal(kept.shape({ ...text, sql: 'FROM  t' }), null);
  const { repeats: _, ...once } = shape;
  kept.learnShape({ ...text, sql: 'once' }, once);
  assert.equal(kept.shape({ ...text, sql: 'once' }), null);
});

test('texts and descriptions are bounded', () => {
  const { kept } = keptWith(1_000_000);
  const long = { ...text, sql: 'x'.repeat(64 * 1024 + 1) };
  kept.learnShape(long, shape);
  assert.equal(kept.shape(long), null);
  const texts = Array.from({ length: 200 }, (_, index) => ({ ...text, sql: `${index}`.padEnd(60_000) }));
  for (const each of texts) kept.learnShape(each, shape);
  const known = texts.filter((each) => kept.shape(each) !== null).length;
  assert.ok(known > 50 && known < 75, `${known} texts of 120 KB in 8 MiB`);
  const description = { isQuery: true, parameterSchemaMessage: new Uint8Array(0) };
  kept.learnDescription('wide', { ...description, schemaMessage: new Uint8Array(300_000) }, 'acme');
  assert.equal(kept.description('wide'), null);
  for (let index = 0; index < 100; index++)
    kept.learnDescription(`${index}`, { ...description, schemaMessage: new Uint8Array(200_000) }, 'acme');
  const described = Array.from({ length: 100 }, (_, index) => kept.description(`${index}`));
  assert.equal(described.filter((each) => each !== null).length, 41);
});

test('turned off, it keeps nothing at all', () => {
  const { kept, observations } = keptWith(0);
  kept.learnShape(text, shape);
  kept.learnDescription(
    'v',
    {
      isQuery: true,
      schemaMessage: null,
      parameterSchemaMessage: new Uint8Array(0),
    },
    'acme',
  );
  kept.missed();
  assert.equal(kept.shape(text), null);
  assert.equal(kept.description('v'), null);
  assert.equal(kept.place('k', 'acme'), null);
  assert.deepEqual(observations, []);
});
