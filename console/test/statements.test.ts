import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { leadingKeyword, splitStatements, statementAt } from '../src/sql/statements.ts';

function texts(text: string): string[] {
  return splitStatements(text).map(({ from, to }) => text.slice(from, to));
}

test('a semicolon ends a statement, except in strings, quoted names, dollar quotes and comments', () => {
  const cases: [string, string[]][] = [
    ['', []],
    ['  ;; \n;', []],
    ['-- only a comment; nothing\n/* ; */', []],
    ['select 1', ['select 1']],
    ['select 1; select 2', ['select 1', 'select 2']],
    ["select 'a;''b;'; select 2", ["select 'a;''b;'", 'select 2']],
    [`select "a;""b"; select 2`, [`select "a;""b"`, 'select 2']],
    [`select e'a\\';b'; select 2`, [`select e'a\\';b'`, 'select 2']],
    [`select 'a\\'; select 2`, [`select 'a\\'`, 'select 2']],
    ['select $$a;b$$; select 2', ['select $$a;b$$', 'select 2']],
    ['select $q$a;$$;b$q$; select 2', ['select $q$a;$$;b$q$', 'select 2']],
    ['select $1; select 2', ['select $1', 'select 2']],
    ['select a$b$ ; select 2; select a$b$', ['select a$b$', 'select 2', 'select a$b$']],
    ['select 1 -- a;b\n+ 1; select 2', ['select 1 -- a;b\n+ 1', 'select 2']],
    ['select /* a; /* b; */ c; */ 1; select 2', ['select /* a; /* b; */ c; */ 1', 'select 2']],
    ["select 'never closed; select 2", ["select 'never closed; select 2"]],
    ['-- why\nselect 1 -- end', ['select 1']],
  ];
  for (const [text, expected] of cases) assert.deepEqual(texts(text), expected, text);
});

test('parameters are listed once, in order, and not out of strings', () => {
  const parametersOf = (text: string) => splitStatements(text).map((each) => each.parameters);
  assert.deepEqual(parametersOf('select $2, $1, $2'), [['2', '1']]);
  assert.deepEqual(parametersOf('select $low::INT, $high'), [['low', 'high']]);
  assert.deepEqual(parametersOf('select ?, ?, \'?\', "?" -- ?'), [['1', '2']]);
  assert.deepEqual(parametersOf('select ?2; select ?'), [['2'], ['1']]);
  assert.deepEqual(parametersOf('select $$a$$, $b$ $1 $b$, a$1'), [[]]);
});

test('the statement under the cursor', () => {
  const text = 'select 1;  \n\nselect 2 ;\n-- end\n';
  const at = (cursor: number) => {
    const found = statementAt(text, cursor);
    return found && text.slice(found.from, found.to);
  };
  assert.equal(at(0), 'select 1');
  assert.equal(at(8), 'select 1');
  assert.equal(at(9), 'select 1', 'behind its semicolon');
  assert.equal(at(11), 'select 1', 'on its line');
  assert.equal(at(12), 'select 2', 'on an empty line before the next');
  assert.equal(at(text.length), 'select 2', 'behind the last');
  assert.equal(statementAt('-- nothing', 3), null);
});

test('the leading keyword is found behind comments and parentheses', () => {
  assert.equal(leadingKeyword('-- why\n /* a */ create table'), 'CREATE');
  assert.equal(leadingKeyword('((select 1))'), 'SELECT');
  assert.equal(leadingKeyword("'text'"), '');
});

test('statements of any text are in order and cover all but separators, white space and comments', () => {
  const piece = fc.constantFrom(
    ...[
      "'",
      '"',
      '$',
      '$$',
      '$a$',
      ';',
      '--',
      '/*',
      '*/',
      '\n',
      ' ',
      'e',
      "e'",
      '\\',
      'select',
      '1',
      '?',
      '$1',
      'ä',
      '(',
    ],
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join('');
      let end = 0;
      for (const statement of splitStatements(text)) {
        assert.ok(end <= statement.from && statement.from < statement.to && statement.to <= statement.end);
        end = statement.end;
      }
      assert.ok(end <= text.length);
    }),
    { numRuns: 2000 },
  );
});

test('a megabyte of any unclosed beginning is split in linear time', () => {
  const starts = [
    "'",
    "''",
    '"',
    '$',
    '$a',
    '$a$',
    '$$',
    '/*',
    '/*/',
    '-- ',
    '--\n',
    ';',
    'e',
    "e'\\",
    '? ',
    '$1 ',
    ' ',
    'a$',
    '\\',
  ];
  for (const start of starts) {
    const size = 250_000;
    const time = (characters: number) => {
      const text = start.repeat(Math.ceil(characters / start.length));
      const began = performance.now();
      splitStatements(text);
      return performance.now() - began;
    };
    time(size);
    // Quadratic time would be minutes. A second is generous for a machine that others use.
    assert.ok(time(4 * size) < 1000, `${JSON.stringify(start)} repeated`);
  }
});
