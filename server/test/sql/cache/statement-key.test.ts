import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { VersionRecord } from '../../../src/model/version.ts';
import type { StatementParameters } from '../../../src/ports/engine.ts';
import { answerKey, type SentText, textKey, versionsKey } from '../../../src/sql/cache/statement-key.ts';

const text: SentText = { tenant: 'a', engine: 'duckdb', sql: 'SELECT 1 FROM t' };
const record = { tenant: 'a', name: 't', version: 1, versionId: 'v' } as VersionRecord;

function keyOf(of: SentText, records: readonly VersionRecord[]): string {
  return versionsKey(textKey(of), records);
}

function allDiffer(keys: readonly (string | null)[]): void {
  assert.ok(!keys.includes(null));
  assert.equal(new Set(keys).size, keys.length, keys.join('\n'));
}

test('the key of a statement is made of tenant, engine, text, and of the id of every version', () => {
  allDiffer([
    keyOf(text, [record]),
    keyOf({ ...text, tenant: 'b' }, [record]),
    keyOf({ ...text, engine: 'spark' }, [record]),
    keyOf({ ...text, sql: 'SELECT 1 FROM T' }, [record]),
    keyOf(text, [{ ...record, versionId: 'w' }]),
    keyOf(text, [{ ...record, tenant: 'b' }]),
    keyOf(text, [{ ...record, incarnation: 1 }]),
    keyOf(text, [record, record]),
    keyOf(text, [record, { ...record, versionId: 'w' }]),
    keyOf(text, [{ ...record, versionId: 'w' }, record]),
    keyOf(text, []),
  ]);
  // What a version is called, and when it expires, changes none of its rows.
  assert.equal(keyOf(text, [{ ...record, name: 'T', expiresAt: 7 }]), keyOf(text, [record]));
});

test('values that differ in their type only are different parameters', () => {
  const json = (...values: unknown[]): StatementParameters => ({ kind: 'json', values });
  const stream = (bytes: number[]): StatementParameters => ({ kind: 'arrow', stream: new Uint8Array(bytes) });
  const all: (StatementParameters | null)[] = [
    null,
    json(),
    json(1n),
    json(1),
    json('1'),
    json('1n'),
    json(1.5),
    json(true),
    json('true'),
    json(null),
    json('null'),
    json(0),
    json(-0),
    json(0n),
    json([1n]),
    json(1n, 2n),
    json([1n, 2n]),
    json([1n], [2n]),
    json('1n,2n'),
    json({}),
    json([]),
    json({ a: 1n }),
    json({ a: { b: 1n } }),
    { kind: 'json', values: { a: 1n } },
    { kind: 'json', values: { a: '1' } },
    { kind: 'json', values: { b: 1n } },
    stream([1, 2]),
    stream([1, 2, 3]),
    json('arrow'),
  ];
  allDiffer(all.map((parameters) => answerKey('v', parameters, null)));
  assert.equal(answerKey('v', json(1n, 'x'), null), answerKey('v', json(1n, 'x'), null));
  assert.equal(answerKey('v', stream([1, 2]), null), answerKey('v', stream([1, 2]), null));
});

test('the form of an answer is part of its key', () => {
  allDiffer([
    answerKey('v', null, null),
    answerKey('v', null, ''),
    answerKey('v', null, 'json'),
    answerKey('w', null, 'json'),
  ]);
});

test('what is nested more deeply than the stack has no key', () => {
  let deep: unknown = 1n;
  for (let level = 0; level < 200_000; level++) deep = [deep];
  assert.equal(answerKey('v', { kind: 'json', values: [deep] }, null), null);
});
