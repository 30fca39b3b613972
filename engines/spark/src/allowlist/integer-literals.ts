import type { ParserRuleContext } from 'antlr4ng';
import * as tree from './gen/SqlBaseParser.js';
import type { TokenEdits } from './token-edits.ts';
import { innermost } from './tree-values.ts';

/** Any number of so many digits is a BIGINT. */
const digitsMax = 18;

/**
 * Writes a whole number that is compared with a column as a BIGINT. Spark would cast 100 to the type of a BIGINT column, and the rule that makes a
 * literal of the cast is off (session-settings.ts): a comparison with a cast is not compared with the statistics of files, so all rows would be read. For
 * columns of smaller integers Spark itself takes the cast of the column back, and beside decimals it goes by the digits of the literal.
 * Not in lists of IN: there it goes by the type, and might cut decimals.
 */
export function widenCompared(node: ParserRuleContext, edits: TokenEdits): void {
  if (node instanceof tree.ComparisonContext) {
    const [left, right] = node.valueExpression();
    widenBeside(left, right, edits);
    widenBeside(right, left, edits);
  } else if (node instanceof tree.PredicatedContext) {
    const predicate = node.predicate();
    if (predicate === null || predicate.BETWEEN() === null) return;
    for (const bound of predicate.valueExpression()) widenBeside(bound, node.valueExpression(), edits);
  }
}

function widenBeside(
  value: ParserRuleContext | undefined,
  other: ParserRuleContext | undefined,
  edits: TokenEdits,
): void {
  if (value === undefined || other === undefined) return;
  const literal = innermost(value);
  const column = innermost(other);
  if (!(literal instanceof tree.IntegerLiteralContext)) return;
  if (!(column instanceof tree.ColumnReferenceContext || column instanceof tree.DereferenceContext)) return;
  const { symbol } = literal.INTEGER_VALUE();
  const digits = symbol.text ?? '';
  if (digits.length <= digitsMax) edits.replace(symbol, `${digits}L`);
}
