import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idempotencyKeptMs } from '../../../src/catalog/memory-times.ts';
import { keyAnswer, replayOf } from '../../../src/catalog/rules/idempotency.ts';
import { start } from '../change-builder.ts';
import { outcomeOf, recordRow } from './rows.ts';

const record = recordRow({ origin_query: '{"text":"SELECT 1","sources":[]}', life: 2, versions_keep: 5 });
const committed = { record, created: true, added: 10, replayedColumns: null, expired: null };
const given = { key: 'k', fingerprint: 'f', body: 'b' };
const row = {
  fingerprint: 'f',
  used_at: start,
  answer: keyAnswer(committed, given),
  key_schema: 1,
  columns: '[]',
};
const again = { record, created: true, added: 10, replayedColumns: '[]', expired: null };
const withoutBody = { ...row, answer: keyAnswer(committed, { key: 'k', fingerprint: 'f' }) };

const cases: readonly [
  what: string,
  typeof row,
  typeof given | { key: string; fingerprint: string },
  now: number,
  unknown,
][] = [
  ['the same request', row, given, start, again],
  ['the same within a day', row, given, start + idempotencyKeptMs - 1, again],
  ['the same after a day', row, given, start + idempotencyKeptMs, null],
  ['another one after a day', row, { ...given, fingerprint: 'other' }, start + idempotencyKeptMs, null],
  ['another fingerprint', row, { ...given, fingerprint: 'other' }, start, 'idempotency_conflict'],
  ['another body', row, { ...given, body: 'other' }, start, 'idempotency_conflict'],
  ['a body that is not known yet', row, { key: 'k', fingerprint: 'f' }, start, again],
  ['a body, and a key that was kept without one', withoutBody, given, start, again],
  ['columns that were not kept', { ...row, columns: '' }, given, start, 'frame_gone'],
];

for (const [what, found, request, now, answer] of cases)
  test(`a key that was used: ${what}`, () => {
    assert.deepEqual(
      outcomeOf(() => replayOf(found, request, now)),
      answer,
    );
  });

test('an answer is kept as an array in the order of its columns, without what is absent', () => {
  const values = Object.values(record);
  assert.equal(row.answer, JSON.stringify({ record: values, created: true, added: 10, body: 'b' }));
  const { added: _, ...restored } = committed;
  const kept = keyAnswer(restored, { key: 'k', fingerprint: 'f' });
  assert.equal(kept, JSON.stringify({ record: values, created: true }));
});

test('an answer of an older server is given again, with what was the same for all then', () => {
  const kept = JSON.stringify({ record: Object.values(record).slice(0, 12), created: true });
  const older = {
    origin_query: null,
    restored_from: null,
    life: 0,
    version_id: 'frame-1',
    versions_keep: null,
  };
  const answer = replayOf({ ...row, answer: kept }, given, start);
  assert.deepEqual(answer?.record, { ...record, ...older });
});
