import assert from 'node:assert/strict';
import test from 'node:test';
import { namedTables } from '../src/sql/named-tables.ts';

test('tables and their aliases are found in a statement that is being typed', () => {
  const cases: [string, [string, string][]][] = [
    ['select ', []],
    ['select  from trades', [['trades', 'trades']]],
    ['select t. from trades t where', [['trades', 't']]],
    ['select * from trades as "T x"', [['trades', 'T x']]],
    ['select * from "eu.trades@3" where a', [['eu.trades@3', 'eu.trades@3']]],
    [
      'from a, b c join "d""e" on true',
      [
        ['a', 'a'],
        ['b', 'c'],
        ['d"e', 'd"e'],
      ],
    ],
    ['select * from framehold.main.trades x', [['trades', 'x']]],
    [
      'insert into log select * from a',
      [
        ['log', 'log'],
        ['a', 'a'],
      ],
    ],
    ["select 'from x' -- from y\n from z", [['z', 'z']]],
    ['select * from (select * from inner_one i) o', [['inner_one', 'i']]],
    ['summarize trades', [['trades', 'trades']]],
  ];
  for (const [statement, expected] of cases)
    assert.deepEqual(
      namedTables(statement).map(({ name, alias }) => [name, alias]),
      expected,
      statement,
    );
});
