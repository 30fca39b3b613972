import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SentText } from '../../../src/model/sent-text.ts';
import type { VersionRecord } from '../../../src/model/version.ts';
import type { StatementParameters } from '../../../src/ports/engine.ts';
import { answerKey, versionsKey } from '../../../src/sql/repeated/statement-key.ts';

const text: SentText = { tenant: 'a', engine: 'duckdb', sql: 'SELECT 1 FROM t' };
const record = { tenant: 'a', name: 't', version: 1, versionId: 'v' } as VersionRecord;

function allDiffer(keys: readonly (string | null)[]): void {
  assert.ok(!keys.includes(null));
  assert.equal(new Set(keys).size, keys.length, keys.join('\n'));
}

test('the key of a statement is made of tenant, engine, text, and of the id of every version', () => {
  allDiffer([
    versionsKey(text, [record]),
    versionsKey({ ...text, tenant: 'b' }, [record]),
    versionsKey({ ...text, engine: 'spark' }, [record]),
    versionsKey({ ...text, sql: 'SELECT 1 FROM T' }, [record]),
    versionsKey(text, [{ ...record, versionId: 'w' }]),
    versionsKey(text, [{ ...record, tenant: 'b' }]),
    versionsKey(text, [{ ...record, life: 1 }]),
    versionsKey(text, [record, record]),
    versionsKey(text, [record, { ...record, versionId: 'w' }]),
    versionsKey(text, [{ ...record, versionId: 'w' }, record]),
    versionsKey(text, []),
  ]);
  // What a version is called, and when it expires, changes none of its rows.
  assert.equal(versionsKey(text, [{ ...record, name: 'T', expiresAt: 7 }]), versionsKey(text, [record]));
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
