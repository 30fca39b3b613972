import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { test } from 'node:test';
import { FrameholdError } from '../../../src/model/errors.ts';
import { columnNames } from '../../../src/pgwire/text/column-names.ts';
import { withHexLiterals } from '../../../src/pgwire/text/hex-literals.ts';
import { listParameters } from '../../../src/pgwire/text/list-parameters.ts';
import { readCommand } from '../../../src/pgwire/text/read-command.ts';
import { splitStatements } from '../../../src/pgwire/text/split-statements.ts';
import { readPostgresStatement } from '../../../src/sql/postgres/read-statement.ts';
import { inLongRun } from '../../support/long-run.ts';
import { assertTook } from '../../support/machine-pace.ts';

/** Everything that reads a client's text on the thread that serves everybody. */
const readers: Readonly<Record<string, (text: string) => unknown>> = {
  splitStatements,
  readCommand,
  columnNames: (text) => columnNames(text, ['a']),
  withHexLiterals,
  listParameters: (text) => listParameters(text, [1007]),
  readPostgresStatement,
};

/** What a text can be made of. */
const fragments = [
  ...[
    '(',
    ')',
    '[',
    ']',
    ',',
    ';',
    '.',
    ':',
    '::',
    '$1',
    '$$',
    '$a$',
    '$a',
    "'",
    "''",
    '"',
    '""',
    '\\',
    '--',
    '--\n',
    '/*',
    '*/',
    '/*/',
  ],
  ...[
    "e'",
    "E'\\'",
    "U&'",
    "x'",
    "'\\xde'::bytea",
    "'{1}'::int[]",
    '=any($1)',
    'in (',
    'select ',
    'from ',
    'as ',
    'a',
    ' a ',
    'a.',
    '"a".',
  ],
  ...[
    'case ',
    'end ',
    'cast(',
    '::int',
    '::numeric(',
    'pg_class ',
    'information_schema.',
    'regclass ',
    'union ',
    'with a as (',
    'join ',
    'on ',
  ],
  ...[
    'begin;',
    'set a=',
    'set a to ',
    'copy ',
    'copy (',
    ') to stdout',
    'declare c ',
    'fetch ',
    'prepare p as ',
    'execute p(',
    'pg_cancel_backend(',
  ],
  ...[
    '1',
    '1.',
    '1e',
    '0x',
    ' ',
    '\n',
    '\u0000',
    'ä',
    '😀',
    '{',
    '}',
    '@',
    '~',
    '->',
    '||',
    'at ',
    'at,',
    'qualify ',
    'not by ',
    'interval ',
    'at time zone ',
  ],
] as const;
const heads = [
  '',
  'select ',
  'select * from pg_class where ',
  'copy (',
  "select '",
  'set a to ',
  'begin;',
  'prepare p as ',
];

const characters = inLongRun(1_000_000, 250_000);

/** Of the processor, in ms. A text that is refused has been read, too. */
function timeOf(read: (text: string) => unknown, text: string): number {
  const before = process.cpuUsage();
  try {
    read(text);
  } catch (thrown) {
    if (!(thrown instanceof FrameholdError)) throw thrown;
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

function check(head: string, pieces: readonly string[], length: number, limitMs: number): void {
  const piece = pieces.join('');
  const text = head + piece.repeat(Math.ceil(length / piece.length));
  for (const [name, read] of Object.entries(readers)) {
    const took = timeOf(read, text);
    assertTook(
      took,
      limitMs,
      `${name} of ${JSON.stringify(head)} and ${JSON.stringify(piece)} again and again`,
    );
  }
}

test('one thing again and again, whatever it is, is read in linear time', () => {
  for (const fragment of fragments) check('select ', [fragment], characters, characters / 1_000);
});

/** The same again: TEXT_SEED=… */
const seed = Number(process.env.TEXT_SEED ?? randomInt(2 ** 31));

test(`what is made of two or three things again and again is read in linear time (TEXT_SEED=${seed})`, () => {
  let state = seed;
  const next = <Thing>(things: readonly Thing[]): Thing => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return things[(state >>> 8) % things.length] as Thing;
  };
  const rounds = inLongRun(3_000, 60);
  for (let round = 0; round < rounds; round++) {
    const pieces = Array.from({ length: next([2, 2, 3]) }, () => next(fragments));
    check(next(heads), pieces, 200_000, 400);
  }
  assert.ok(rounds > 0);
});
