import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkHistory } from './check-history.ts';
import type { Fault, Operation, Run } from './operation.ts';

/** Operations one after the other, a second each; `at` puts one elsewhere. */
function history(...operations: readonly Partial<Operation & { readonly at: readonly [number, number] }>[]) {
  return operations.map(({ at, ...operation }, index): Operation => {
    const [invoked, answered] = at ?? [index, index + 0.5];
    return {
      id: `o${index}`,
      name: 'f',
      kind: 'read',
      outcome: 'ok',
      rows: 2,
      invoked,
      answered,
      ...operation,
    };
  });
}

const whole = (...ids: readonly string[]): Run[] => ids.map((id) => [id, 0, 1]);

function kindsOf(operations: readonly Operation[]): Fault['kind'][] {
  return [...new Set(checkHistory(operations).faults.map(({ kind }) => kind))];
}

const begin = [
  { kind: 'create', version: 1 },
  { kind: 'append', version: 2 },
  { kind: 'append', version: 3 },
] as const;

test('a history that one server could have told has no fault, and its reads are compared', () => {
  const verdict = checkHistory(
    history(
      ...begin,
      { kind: 'read', version: 3, content: whole('o0', 'o1', 'o2') },
      { kind: 'sql', content: whole('o2', 'o0', 'o1') },
      { kind: 'replace', version: 4, ifVersion: 3 },
      { kind: 'create', outcome: 'refused' },
      { kind: 'read', version: 4, content: whole('o5') },
      { kind: 'read', version: 2, pinned: true, content: whole('o0', 'o1') },
      { kind: 'drop' },
      { kind: 'read', outcome: 'absent' },
      { kind: 'create', version: 5 },
      { kind: 'read', version: 5, content: whole('o11') },
    ),
  );
  assert.deepEqual(verdict, { faults: [], compared: 5 });
});

test('concurrent writes may take effect in any order', () => {
  const operations = history(
    { kind: 'create', version: 1 },
    { kind: 'append', version: 3, at: [1, 9] },
    { kind: 'append', version: 2, at: [2, 8] },
    { kind: 'read', version: 3, content: whole('o0', 'o2', 'o1'), at: [3, 10] },
  );
  assert.deepEqual(checkHistory(operations), { faults: [], compared: 1 });
});

test('a write without an answer may have happened or not, but once', () => {
  const unknown = { kind: 'append', outcome: 'unknown' } as const;
  const create = { kind: 'create', version: 1 } as const;
  assert.deepEqual(kindsOf(history(create, unknown, { version: 1, content: whole('o0') })), []);
  assert.deepEqual(kindsOf(history(create, unknown, { version: 2, content: whole('o0', 'o1') })), []);
  const twice = history(create, unknown, { version: 3, content: whole('o0', 'o1', 'o1') });
  assert.deepEqual(kindsOf(twice), ['doubled']);
});

test('an acknowledged append that a later read does not have is lost', () => {
  assert.deepEqual(kindsOf(history(...begin, { version: 3, content: whole('o0', 'o2') })), ['lost']);
});

test('an acknowledged append is lost if others made the versions around it', () => {
  const operations = history(
    { kind: 'create', version: 1 },
    { kind: 'append', outcome: 'unknown' },
    { kind: 'append', outcome: 'unknown' },
    { version: 3, content: whole('o0', 'o2') },
  );
  assert.deepEqual(kindsOf(operations), ['lost']);
});

test('a frame that is absent without a drop is lost', () => {
  assert.deepEqual(kindsOf(history(...begin, { outcome: 'absent' })), ['lost']);
  assert.deepEqual(
    kindsOf(history(...begin, { kind: 'drop', outcome: 'unknown' }, { outcome: 'absent' })),
    [],
  );
  const refused = history(...begin, { kind: 'drop', outcome: 'refused' }, { outcome: 'absent' });
  assert.deepEqual(kindsOf(refused), ['lost']);
});

test('a frame that was dropped before it was written again is not excused by that drop', () => {
  const operations = history(
    { kind: 'create', version: 1 },
    { kind: 'drop' },
    { kind: 'create', version: 2 },
    { outcome: 'absent' },
  );
  assert.deepEqual(kindsOf(operations), ['lost']);
});

test('two writes with one version are doubled', () => {
  assert.deepEqual(kindsOf(history(...begin, { kind: 'append', version: 3 })).includes('doubled'), true);
});

test('a write that took effect again after its answer is doubled', () => {
  const operations = history(...begin, { version: 4, content: whole('o0', 'o1', 'o2', 'o1') });
  assert.ok(kindsOf(operations).includes('doubled'));
});

test('a replacement that comes again as a later version is doubled', () => {
  const operations = history(
    { kind: 'replace', version: 1 },
    { kind: 'replace', version: 2 },
    { version: 3, content: whole('o0') },
  );
  assert.ok(kindsOf(operations).includes('doubled'));
});

test('two creations win only if the frame was dropped in between', () => {
  const create = { kind: 'create' } as const;
  assert.deepEqual(kindsOf(history({ ...create, version: 1 }, { ...create, version: 2 })), ['doubled']);
  assert.deepEqual(
    kindsOf(history({ ...create, version: 1 }, { kind: 'drop' }, { ...create, version: 2 })),
    [],
  );
});

test('a read that is older than what was acknowledged before it is in disorder', () => {
  assert.deepEqual(kindsOf(history(...begin, { version: 2, content: whole('o0', 'o1') })), ['disorder']);
});

test('a read that is older than an earlier read is in disorder', () => {
  const operations = history(
    { kind: 'create', version: 1 },
    { kind: 'append', version: 2, at: [1, 9] },
    { version: 2, content: whole('o0', 'o1'), at: [2, 3] },
    { version: 1, content: whole('o0'), at: [4, 5] },
  );
  assert.deepEqual(kindsOf(operations), ['disorder']);
});

test('a write that gets an older version than one acknowledged before it is in disorder', () => {
  const operations = history({ kind: 'replace', version: 2 }, { kind: 'replace', version: 1 });
  assert.deepEqual(kindsOf(operations), ['disorder']);
});

test('rows in another order, in part, of a refused write or of nobody are wrong', () => {
  const read = (content: readonly Run[]) => kindsOf(history(...begin, { version: 3, content }));
  assert.ok(read(whole('o0', 'o2', 'o1')).includes('wrong'));
  assert.ok(read([...whole('o0', 'o1'), ['o2', 0, 0]]).includes('wrong'));
  assert.ok(
    read([
      ['o0', 0, 1],
      ['o1', 1, 1],
      ['o2', 0, 1],
    ]).includes('wrong'),
  );
  assert.ok(read(whole('o0', 'o1', 'o9')).includes('wrong'));
  const refused = history(
    { kind: 'create', version: 1 },
    { kind: 'append', outcome: 'refused' },
    { version: 2, content: whole('o0', 'o1') },
  );
  assert.ok(kindsOf(refused).includes('wrong'));
});

test('two reads of one version that differ are wrong or lost', () => {
  const operations = history(
    { kind: 'create', outcome: 'unknown' },
    { kind: 'append', outcome: 'unknown' },
    { version: 2, content: whole('o0', 'o1') },
    { version: 2, content: whole('o1') },
  );
  assert.notDeepEqual(kindsOf(operations), []);
});

test('rows that were dropped and come back are wrong', () => {
  assert.deepEqual(
    kindsOf(history(...begin, { kind: 'drop' }, { version: 3, content: whole('o0', 'o1', 'o2') })),
    ['wrong'],
  );
});

test('a version that is read before its write was sent is wrong', () => {
  const operations = history(
    { kind: 'create', version: 1 },
    { version: 2, content: whole('o0', 'o2') },
    { kind: 'append', version: 2 },
  );
  assert.ok(kindsOf(operations).includes('wrong'));
});

test('a conditional replacement of another version than it named is wrong', () => {
  assert.deepEqual(kindsOf(history(...begin, { kind: 'replace', ifVersion: 2, version: 4 })), ['wrong']);
});

test('SQL that mixes versions, or reads one that was replaced before it was sent, is wrong', () => {
  const sql = (content: readonly Run[]) => kindsOf(history(...begin, { kind: 'sql', content }));
  assert.deepEqual(sql(whole('o1', 'o0', 'o2')), []);
  assert.deepEqual(sql(whole('o0', 'o2')), ['wrong']);
  assert.deepEqual(sql(whole('o0', 'o1')), ['wrong']);
});

test('SQL beside a write may read the version before it or the one after it', () => {
  const sql = (content: readonly Run[]) =>
    kindsOf(
      history(...begin, { kind: 'append', version: 4, at: [3, 9] }, { kind: 'sql', content, at: [4, 5] }),
    );
  assert.deepEqual(sql(whole('o0', 'o1', 'o2')), []);
  assert.deepEqual(sql(whole('o0', 'o1', 'o2', 'o3')), []);
  assert.deepEqual(sql(whole('o0', 'o1')), ['wrong']);
});

test('names do not excuse each other', () => {
  const operations = history(...begin, { kind: 'drop', name: 'g' }, { outcome: 'absent' });
  assert.deepEqual(kindsOf(operations), ['lost']);
});
