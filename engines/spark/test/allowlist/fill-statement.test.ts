import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ParserRuleContext, type ParseTree } from 'antlr4ng';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { checkStatement, fillStatement } from '../../src/allowlist/check-statement.ts';
import { CastContext, ParenthesizedExpressionContext } from '../../src/allowlist/gen/SqlBaseParser.js';
import type { ParameterValue, ParameterValues } from '../../src/allowlist/parameter-values.ts';
import { parseStatement } from '../../src/allowlist/parse.ts';
import { childrenOf, writtenValue } from '../../src/allowlist/tree-values.ts';

function filled(sql: string, values: ParameterValues): string {
  return fillStatement({ statement: checkStatement(sql), values }).text;
}

const nasty = '\n, (select max(value) from text.`/etc/passwd`) -- \' \\ " ${env:HOME} /* ? :a \u2028 \0 é 😀';

/** One of each kind, and of each sign. */
const values: readonly ParameterValue[] = [
  { type: 'null' },
  { type: 'typed_null', of: 'DECIMAL(10,2)' },
  { type: 'boolean', value: true },
  { type: 'boolean', value: false },
  { type: 'tinyint', value: -128n },
  { type: 'smallint', value: -32768n },
  { type: 'int', value: -2147483648n },
  { type: 'int', value: 5n },
  { type: 'bigint', value: -9223372036854775808n },
  { type: 'bigint', value: 9223372036854775807n },
  { type: 'float', value: -1.5 },
  { type: 'double', value: -0 },
  { type: 'double', value: Number.NaN },
  { type: 'double', value: Number.NEGATIVE_INFINITY },
  { type: 'double', value: 5e-324 },
  { type: 'decimal', unscaled: -5n, precision: 10, scale: 2 },
  { type: 'decimal', unscaled: 10n ** 38n - 1n, precision: 38, scale: 38 },
  { type: 'string', value: '' },
  { type: 'string', value: nasty },
  { type: 'binary', value: Uint8Array.of() },
  { type: 'binary', value: Uint8Array.of(0, 39, 92, 255) },
  { type: 'date', days: -719162 },
  { type: 'date', days: 2932896 },
  { type: 'timestamp', micros: -1n },
  { type: 'timestamp_ntz', micros: 253402300799999999n },
];

/** Places in which a sign, a keyword or a quote of a value could join what is around it. `@` is the parameter. */
const places: readonly string[] = [
  'select @',
  'select 1 -@',
  'select 1 - @, -@, - -@, +@, ~@',
  'select @-@, @+1, @*@, @/@, @%2, @||@',
  'select @::string, @ :: int, cast(@ as date), try_cast(@ as int)',
  'select @[0], @.x, array(@, @)[0]',
  'select not @, @ and @, @ or not @',
  'select @ is null, @ is not distinct from @, @ <=> @, @ between @ and @, @ in (@, @), @ not in (@)',
  'select @ like @, @ rlike @, @ like any (@, @)',
  'select case @ when @ then @ else @ end, case when @ then @ end',
  'select distinct @, @ from t',
  'select all @',
  'select trim(both @ from @), trim(@ from @), trim(leading @ from x), substring(@ from @ for @), position(@ in @), overlay(@ placing @ from @) from t',
  'select f.x from (select @ x) f where @ and x > @ group by x, @ having @ order by @ desc, @ nulls first',
  'values (@, @), (@, @)',
  'select * from values @, @',
  'select * from t where x = @ limit 5',
  'select sum(x) over (partition by @ order by @ rows between 1 preceding and current row) from t',
  'select sum(@) filter (where @), count(distinct @), coalesce(@, @), if(@, @, @) from t',
  'select transform(array(@), x -> x + @), exists(array(@), x -> x = @)',
  "select (select @), exists (select @), @ as x, @ y, struct(@ as a), (@, @), date_add(@, @), extract(year from @), interval '1' day * @",
  'select @ union all select @ except select @',
  'with a as (select @ x) select * from a join t on a.x = @ and @',
  'select * from t lateral view explode(array(@, @)) e as v',
  'select * from (select x, y from t) pivot (sum(y) for x in (@, @ as z))',
  'select timestampadd(day, @, @), datediff(@, @), first(@), last(@) ignore nulls, any_value(@) from t',
];

/** The kinds of all nodes, with `#` for a value in brackets. */
function outline(text: string): string {
  return outlineOf(parseStatement(text).tree);
}

function outlineOf(node: ParseTree): string {
  if (!(node instanceof ParserRuleContext)) return node.getText();
  if (node instanceof ParenthesizedExpressionContext && isValue(node)) return '#';
  return `${node.constructor.name}(${childrenOf(node).map(outlineOf).join(' ')})`;
}

function isValue(node: ParenthesizedExpressionContext): boolean {
  let inner: ParseTree | undefined = node.expression();
  while (
    inner instanceof ParserRuleContext &&
    childrenOf(inner).length === 1 &&
    !(inner instanceof CastContext)
  )
    inner = childrenOf(inner)[0];
  return writtenValue(node) !== null || inner instanceof CastContext;
}

suite('values in a statement', () => {
  test('no value changes the tree around it, whatever its kind and place', () => {
    for (const place of places) {
      const allowed = checkStatement(place.replaceAll('@', '?'));
      const expected = outline(allowed.text.replaceAll('?', '( ? )'));
      for (const value of values) {
        const list = Array.from({ length: allowed.parameters.count }, () => value);
        const { text } = fillStatement({ statement: allowed, values: list });
        assert.equal(outline(text), expected, `${place} with ${value.type}`);
      }
    }
  });

  test('a value is ASCII without quotes, backslashes and markers of its own', () => {
    const text = filled('select ?', [{ type: 'string', value: nasty }]);
    assert.match(text, /^select \( '(?:[A-Za-z0-9 ]|\\u[0-9a-f]{4})*' \)$/);
  });

  test('by name, each as often as it is used, in any order', () => {
    const text = filled('select :b, :a, :b', {
      a: { type: 'int', value: 1n },
      b: { type: 'int', value: -2n },
    });
    assert.equal(text, 'select ( - 2 ) , ( 1 ) , ( - 2 )');
  });

  test('names of Object are no values', () => {
    assert.throws(() => filled('select :constructor', {}), /has no value/);
    assert.throws(() => filled('select :a', [{ type: 'null' }]), /has no value/);
    assert.throws(() => filled('select ?', { a: { type: 'null' } }), /has no value/);
    assert.throws(() => filled('select ?, ?', [{ type: 'null' }]), /has no value/);
  });

  test('limits hold for values as for what is written', () => {
    for (const sql of ['select repeat(?, ?)', 'select * from range(?, ?)', 'select sequence(?, ?)']) {
      const few: ParameterValue = { type: 'bigint', value: 5n };
      const many: ParameterValue = { type: 'bigint', value: 2_000_000_000n };
      assert.ok(filled(sql, [few, few]).length > 0);
      assert.throws(
        () => filled(sql, [few, many]),
        (thrown) => thrown instanceof FrameholdError && thrown.kind === 'sql_refused',
        sql,
      );
    }
    assert.throws(() => filled('select round(x, ?) from t', [{ type: 'int', value: 1000n }]), /400/);
  });

  test('values are as long as they may be together, and no longer', () => {
    const text = (length: number): ParameterValue => ({ type: 'string', value: 'a'.repeat(length) });
    assert.ok(filled('select ?, ?', [text(500_000), text(500_000)]).length > 1_000_000);
    assert.throws(() => filled('select ?, ?', [text(600_000), text(600_000)]), /longer than/);
    assert.throws(() => filled('select ?', [{ type: 'string', value: "'".repeat(200_000) }]), /longer than/);
  });

  test('what no type of Spark holds is refused', () => {
    for (const value of [
      { type: 'int', value: 2147483648n },
      { type: 'tinyint', value: -129n },
      { type: 'decimal', unscaled: 100n, precision: 2, scale: 0 },
      { type: 'decimal', unscaled: 1n, precision: 39, scale: 0 },
      { type: 'date', days: 2932897 },
      { type: 'timestamp', micros: 253402300800000000n },
      { type: 'string', value: '\ud800' },
      { type: 'typed_null', of: "INT) , version('" },
    ] as const)
      assert.throws(
        () => filled('select ?', [value]),
        (thrown) => thrown instanceof FrameholdError && thrown.kind === 'sql_invalid',
      );
  });

  test('places lead from the filled text to the statement', () => {
    const sql = 'select ?, /* b */ x from t';
    const { text, places: pairs } = fillStatement({
      statement: checkStatement(sql),
      values: [{ type: 'string', value: 'a b c' }],
    });
    const at = text.indexOf(' x ') + 1;
    const index = pairs.findIndex((here, position) => position % 2 === 0 && here === at);
    assert.equal(pairs[index + 1], sql.indexOf('x from'));
  });
});
