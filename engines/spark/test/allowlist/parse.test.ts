import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ParseTree } from 'antlr4ng';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { forgetTexts, parseStatement } from '../../src/allowlist/parse.ts';

function fault(sql: string, tokensMax?: number): FrameholdError {
  try {
    parseStatement(sql, tokensMax);
  } catch (thrown) {
    assert.ok(thrown instanceof FrameholdError, String(thrown));
    return thrown;
  }
  assert.fail(`${sql} was read`);
}

test('a statement becomes a tree of Spark’s rules, and the words that it was made of', () => {
  const { tree, tokens } = parseStatement("selecT a -- one\n, 'B''c' /* two */ FROM `My t` |> where x=1;");
  assert.equal(tree.getChild(0)?.constructor.name, 'SingleStatementContext');
  assert.equal(tree.singleStatement()?.statement()?.constructor.name, 'StatementDefaultContext');
  assert.deepEqual(
    tokens.map(({ text }) => text),
    ['selecT', 'a', ',', "'B''c'", 'FROM', '`My t`', '|>', 'where', 'x', '=', '1', ';'],
  );
});

test('a script is read as a script, as Spark would run it', () => {
  const { tree } = parseStatement('BEGIN SELECT 1; SELECT 2; END');
  assert.equal(tree.getChild(0)?.constructor.name, 'SingleCompoundStatementContext');
});

test('what cannot be read has a place, in the units of the caller’s text', () => {
  const error = fault("SELECT '😀'\n  FROM t t t t");
  assert.equal(error.kind, 'sql_invalid');
  assert.equal(error.message, 'Spark SQL cannot have "t" here.');
  assert.deepEqual(error.place, { position: 23, line: 2, column: 12 });
});

const messages: Readonly<Record<string, string>> = {
  '': 'The statement ends before it is complete.',
  'SELECT (1': 'The statement ends before it is complete.',
  'SELECT 1; SELECT 2': 'Spark SQL cannot have "SELECT" here.',
  "SELECT 'a": 'The text in single quotes that begins here is not closed.',
  'SELECT "a': 'The text in double quotes that begins here is not closed.',
  'SELECT `a': 'The name in back-quotes that begins here is not closed.',
  'SELECT 1 /* a /* b */': 'The comment that begins here is not closed.',
  'SELECT * FROM my-frame': 'The name "my-frame" needs back-quotes.',
  'SELECT größe FROM t': 'The name "größe" needs back-quotes.',
};
for (const [sql, message] of Object.entries(messages))
  test(`${JSON.stringify(sql)} is refused with a message for people`, () => {
    const error = fault(sql);
    assert.equal(error.kind, 'sql_invalid');
    assert.equal(error.message, message);
    assert.ok(error.place);
  });

test('a long word is cut in the message', () => {
  assert.ok(fault(`SELECT 1 1 ${'x'.repeat(10_000)}`).message.length < 100);
  assert.ok(fault(`${'x'.repeat(10_000)}`).message.length < 100);
});

test('the keywords of Spark may be names, and a text in double quotes is a text', () => {
  const { tree } = parseStatement('SELECT user, "a" AS select FROM table WHERE left = 1e5');
  assert.match(treeNames(tree), /SingleDoubleQuotedStringLiteralValue/);
  assert.match(treeNames(tree), /ExponentLiteral/);
});

test('INTERSECT binds closer than UNION', () => {
  const { tree } = parseStatement('SELECT 1 UNION SELECT 2 INTERSECT SELECT 3');
  const outermost = tree.singleStatement()?.getChild(0)?.getChild(0)?.getChild(0);
  assert.equal(outermost?.constructor.name, 'SetOperationContext');
  const parts = [0, 1, 2].map((index) => outermost?.getChild(index)?.getText());
  assert.deepEqual(parts, ['SELECT1', 'UNION', 'SELECT2INTERSECTSELECT3']);
});

test('no more words are read than a statement may have', () => {
  assert.equal(parseStatement('SELECT 1, 2', 4).tokens.length, 4);
  const error = fault('SELECT 1, 2', 3);
  assert.equal(error.kind, 'sql_refused');
  assert.equal(error.place?.position, 10);
  // What is behind the limit would be an error of another kind, had it been read.
  assert.equal(fault("SELECT 1, 2, 'x", 3).kind, 'sql_refused');
});

test('a text that is too deep for the stack throws a RangeError, and the next one is read', () => {
  assert.throws(() => parseStatement(`SELECT ${'- '.repeat(100_000)}1`), RangeError);
  assert.equal(parseStatement('SELECT 1').tokens.length, 2);
});

test('what was learned from many texts can be forgotten', () => {
  for (let depth = 1; depth <= 40; depth++)
    parseStatement(`SELECT ${'('.repeat(depth)}1${')'.repeat(depth)}`);
  forgetTexts();
  assert.equal(parseStatement('SELECT ((1))').tokens.length, 6);
});

function treeNames(node: ParseTree): string {
  const children = Array.from({ length: node.getChildCount() }, (_, index) => node.getChild(index));
  return [node.constructor.name, ...children.map((child) => (child ? treeNames(child) : ''))].join(' ');
}
