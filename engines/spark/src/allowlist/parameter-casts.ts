import type { ParserRuleContext } from 'antlr4ng';
import * as tree from './gen/SqlBaseParser.js';

/** What a parameter is cast to where it stands, as it is written: `CAST(? AS BIGINT)`, `?::DATE`. null if it is not. */
export function castOf(parameter: ParserRuleContext): string | null {
  let node = parameter;
  // A parameter is wrapped once for each rank of operators.
  while (node.parent?.getChildCount() === 1) node = node.parent;
  const { parent } = node;
  if (parent instanceof tree.CastContext && parent.expression() === node) return parent.dataType().getText();
  if (parent instanceof tree.CastByColonContext) return parent.dataType().getText();
  return null;
}
