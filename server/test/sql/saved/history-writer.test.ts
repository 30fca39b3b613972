import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NewHistoryEntry } from '../../../src/ports/catalog/queries.ts';
import type { Observation } from '../../../src/ports/observation.ts';
import { HistoryWriter } from '../../../src/sql/saved/history-writer.ts';
import { eventually } from '../../support/patience.ts';

function ended(sql: string): NewHistoryEntry {
  const result = { state: 'done', error: null, rows: 0, startedAt: 1, durationMs: 2 } as const;
  return { tenant: 't', caller: 'c', queryId: 'q', sql, engine: 'duckdb', ...result };
}

interface Written {
  readonly texts: readonly string[];
  readonly keptMax: number;
}

function writerOf(write: (batch: Written) => Promise<void> | void = () => {}, keptMax = 10) {
  const written: Written[] = [];
  const lost: Observation[] = [];
  const catalog = {
    addHistory: async (entries: readonly NewHistoryEntry[], max: number) => {
      const batch = { texts: entries.map(({ sql }) => sql), keptMax: max };
      written.push(batch);
      await write(batch);
    },
  };
  const observe = (observation: Observation) => void lost.push(observation);
  const writer = new HistoryWriter({ catalog, observe, now: () => 7 }, { keptMax: () => keptMax });
  return { writer, written, lost };
}

test('statements that end within a second are written together, by themselves', async () => {
  const { writer, written } = writerOf();
  for (const sql of ['a', 'b', 'c']) writer.add(ended(sql));
  assert.deepEqual(written, []);
  await eventually('they are written', () => written.length > 0);
  assert.deepEqual(written, [{ texts: ['a', 'b', 'c'], keptMax: 10 }]);
});

test('flush and close write what is there, in batches, and what comes meanwhile later', async () => {
  const { writer, written } = writerOf(({ texts }) => {
    if (texts[0] === 's0') writer.add(ended('late'));
  });
  for (let index = 0; index < 1_200; index++) writer.add(ended(`s${index}`));
  await writer.flush();
  assert.deepEqual(
    written.map(({ texts }) => texts.length),
    [500, 500, 200],
  );
  assert.equal(
    written.flatMap(({ texts }) => texts).join(),
    Array.from({ length: 1_200 }, (_, i) => `s${i}`).join(),
  );
  await writer.close();
  assert.deepEqual(written.at(-1)?.texts, ['late']);
});

test('a flush while another one writes waits until its own entries are written, too', async () => {
  const gate = Promise.withResolvers<void>();
  const { writer, written } = writerOf(({ texts }) => (texts[0] === 'a' ? gate.promise : undefined));
  writer.add(ended('a'));
  const first = writer.flush();
  writer.add(ended('b'));
  const second = writer.flush();
  assert.equal(written.length, 1);
  gate.resolve();
  await Promise.all([first, second]);
  assert.deepEqual(
    written.map(({ texts }) => texts),
    [['a'], ['b']],
  );
});

test('a catalog that fails costs a batch, which is counted, and nothing else', async () => {
  let fails = true;
  const { writer, written, lost } = writerOf(() => {
    if (fails) throw new Error('no room');
  });
  writer.add(ended('a'));
  writer.add(ended('b'));
  await writer.flush();
  fails = false;
  writer.add(ended('c'));
  await writer.flush();
  assert.deepEqual(written.at(-1)?.texts, ['c']);
  assert.deepEqual(
    lost.map((each) => each.event === 'history-lost' && [each.count, (each.error as Error).message]),
    [[2, 'no room']],
  );
});

test('the queue is limited in entries and in characters: the oldest are lost, and counted', async () => {
  const { writer, written, lost } = writerOf();
  const countOf = () => lost.reduce((sum, each) => sum + (each.event === 'history-lost' ? each.count : 0), 0);
  for (let index = 0; index < 10_001; index++) writer.add(ended(`s${index}`));
  const few = countOf();
  assert.ok(few > 0 && few <= 1_001, String(few));
  await writer.flush();
  const kept = written.flatMap(({ texts }) => texts);
  assert.equal(kept.length, 10_001 - few);
  assert.deepEqual([kept[0], kept.at(-1)], [`s${few}`, 's10000']);
  for (let index = 0; index < 20; index++) writer.add(ended('x'.repeat(1024 * 1024)));
  assert.ok(countOf() > few);
  written.length = 0;
  await writer.flush();
  assert.ok(written.flatMap(({ texts }) => texts).length <= 16);
});

test('with a maximum of 0 nothing is kept', async () => {
  const { writer, written } = writerOf(undefined, 0);
  writer.add(ended('a'));
  await writer.close();
  assert.deepEqual(written, []);
});
