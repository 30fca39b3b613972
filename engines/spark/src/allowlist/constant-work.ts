import { ParserRuleContext, type ParseTree } from 'antlr4ng';
import * as tree from './gen/SqlBaseParser.js';
import { refused } from './refusal.ts';
import { childrenOf, nameText, sameName, startOf } from './tree-values.ts';

/** Functions that can take very long for short arguments: patterns that backtrack, and functions that run over lists. */
const slow: ReadonlySet<string> = new Set(
  `aggregate array_sort exists filter forall ilike levenshtein like map_filter map_zip_with reduce regexp regexp_count regexp_extract
  regexp_extract_all regexp_instr regexp_like regexp_replace regexp_substr rlike sentences split transform transform_keys transform_values
  zip_with`.split(/\s+/),
);

/** An item of SELECT is reached through these. */
const around: ReadonlySet<unknown> = new Set<unknown>([
  tree.ExpressionContext,
  tree.PredicatedContext,
  tree.ValueExpressionDefaultContext,
  tree.ParenthesizedExpressionContext,
]);

/**
 * Refuses slow work on constants within another expression. Spark computes the constant arguments of many functions on the driver, while it
 * plans and compiles, and no interrupt ends that. Over a column, or as an item of SELECT, it is work of the executors.
 */
export function checkConstantWork(node: ParserRuleContext): void {
  if (!isSlow(node) || readsColumn(node) || isItem(node)) return;
  throw refused(
    'Patterns and functions over lists can be applied to constants only as a column of SELECT.',
    startOf(node),
    'Apply it to a column, or write its result.',
  );
}

function isSlow(node: ParserRuleContext): boolean {
  if (node instanceof tree.FunctionCallContext)
    return slow.has(sameName(nameText(node.functionName().getText())));
  if (!(node instanceof tree.PredicatedContext)) return false;
  const predicate = node.predicate();
  return predicate !== null && (predicate.RLIKE() ?? predicate.LIKE() ?? predicate.ILIKE()) !== null;
}

/** Variables of lambdas look like columns: there they are none. */
function readsColumn(node: ParseTree, variables: ReadonlySet<string> = new Set()): boolean {
  if (!(node instanceof ParserRuleContext)) return false;
  if (node instanceof tree.ColumnReferenceContext) return !variables.has(sameName(nameText(node.getText())));
  if (node instanceof tree.QueryContext) return true;
  const inner =
    node instanceof tree.LambdaContext
      ? new Set([...variables, ...node.identifier().map((name) => sameName(nameText(name.getText())))])
      : variables;
  return childrenOf(node).some((child) => readsColumn(child, inner));
}

function isItem(node: ParserRuleContext): boolean {
  let above = node.parent;
  while (above !== null && around.has(above.constructor)) above = above.parent;
  return (
    above instanceof tree.NamedExpressionContext && above.parent instanceof tree.NamedExpressionSeqContext
  );
}
