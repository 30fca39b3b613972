import { ParserRuleContext } from 'antlr4ng';
import * as tree from './gen/SqlBaseParser.js';
import { refused } from './refusal.ts';
import { childrenOf, nameText, sameName, startOf, writtenValue } from './tree-values.ts';

/** Spark computes such a value on the driver, where an interrupt does not stop it. */
export function mustBeWritten(node: ParserRuleContext | null | undefined, what: string): void {
  if (node === null || node === undefined || isWritten(node)) return;
  throw refused(
    `${what} must be a value that is written in the statement.`,
    startOf(node),
    'Write it as a literal or a parameter.',
  );
}

/** A literal, or several in brackets. */
function isWritten(node: ParserRuleContext): boolean {
  if (writtenValue(node) !== null) return true;
  let at: unknown = node;
  while (at instanceof ParserRuleContext && childrenOf(at).length === 1) at = childrenOf(at)[0];
  return (
    at instanceof tree.RowConstructorContext &&
    at.namedExpression().every((item) => writtenValue(item) !== null)
  );
}

/** Functions that only put values together. */
const constructors: ReadonlySet<string> = new Set(['array', 'map', 'named_struct', 'struct']);

const computed: readonly (new (...values: never[]) => ParserRuleContext)[] = [
  tree.QueryContext,
  tree.ColumnReferenceContext,
  tree.LambdaContext,
  tree.PredicateContext,
  tree.SearchedCaseContext,
  tree.SimpleCaseContext,
  tree.SubstringContext,
  tree.TrimContext,
  tree.OverlayContext,
  tree.PositionContext,
  tree.StarContext,
];

/** The rows of VALUES are computed by Spark's parser, on the driver: literals, casts and arithmetic only. */
export function checkInlineTable(table: tree.InlineTableContext): void {
  for (const row of table.expression()) checkInlineValue(row);
}

function checkInlineValue(node: ParserRuleContext): void {
  const calls = node instanceof tree.FunctionCallContext;
  if (
    (calls && !constructors.has(sameName(nameText(node.functionName().getText())))) ||
    computed.some((kind) => node instanceof kind)
  )
    throw refused(
      'VALUES takes literals, casts and arithmetic only.',
      startOf(node),
      'Compute in a SELECT over the VALUES.',
    );
  for (const child of childrenOf(node)) if (child instanceof ParserRuleContext) checkInlineValue(child);
}
