import { ParserRuleContext, type ParseTree } from 'antlr4ng';
import * as tree from './gen/SqlBaseParser.js';

export function childrenOf(node: ParserRuleContext): readonly ParseTree[] {
  return node.children ?? [];
}

/** Where a node begins, in code points; the position of an empty one is not known. */
export function startOf(node: ParserRuleContext): number | null {
  return node.start?.start ?? null;
}

/** A name without its back-quotes. */
export function nameText(written: string): string {
  if (!written.startsWith('`')) return written;
  return written.slice(1, -1).replaceAll('``', '`');
}

/** As Spark compares names, for those of ASCII. Others are equal only if they are the same. */
export function sameName(name: string): string {
  return name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** A value that is written in the statement, and not computed. */
export type WrittenValue =
  | { readonly kind: 'integer'; readonly value: bigint }
  | { readonly kind: 'decimal'; readonly value: number }
  | { readonly kind: 'text'; readonly tokens: readonly string[] }
  | { readonly kind: 'date'; readonly text: string }
  | { readonly kind: 'interval' | 'parameter' | 'other' };

const transparent: ReadonlySet<unknown> = new Set<unknown>([
  tree.FunctionTableArgumentContext,
  tree.FunctionArgumentContext,
  tree.ExpressionContext,
  tree.PredicatedContext,
  tree.ValueExpressionDefaultContext,
  tree.ConstantDefaultContext,
  tree.NumericLiteralContext,
  tree.NamedExpressionContext,
]);

/** What an expression is, without the nodes around it that have nothing else. */
export function innermost(node: ParserRuleContext): ParserRuleContext {
  let at = node;
  while (transparent.has(at.constructor)) {
    const [child, ...others] = childrenOf(at);
    if (others.length > 0 || !(child instanceof ParserRuleContext)) break;
    at = child;
  }
  return at;
}

/** The value of an expression that is a literal, with or without brackets around it; null for any other. */
export function writtenValue(node: ParseTree): WrittenValue | null {
  if (!(node instanceof ParserRuleContext)) return null;
  let at = innermost(node);
  while (at instanceof tree.ParenthesizedExpressionContext) at = innermost(at.expression());
  return literalValue(at);
}

function literalValue(node: ParserRuleContext): WrittenValue | null {
  if (
    node instanceof tree.IntegerLiteralContext ||
    node instanceof tree.BigIntLiteralContext ||
    node instanceof tree.SmallIntLiteralContext ||
    node instanceof tree.TinyIntLiteralContext
  )
    return { kind: 'integer', value: BigInt(node.getText().replace(/[LSY]$/i, '')) };
  if (node instanceof tree.DecimalLiteralContext || node instanceof tree.ExponentLiteralContext)
    return { kind: 'decimal', value: Number(node.getText()) };
  if (node instanceof tree.DoubleLiteralContext || node instanceof tree.FloatLiteralContext)
    return { kind: 'decimal', value: Number(node.getText().slice(0, -1)) };
  if (node instanceof tree.BigDecimalLiteralContext)
    return { kind: 'decimal', value: Number(node.getText().slice(0, -2)) };
  if (node instanceof tree.StringLiteralContext)
    return {
      kind: 'text',
      tokens: node
        .stringLit()
        .singleStringLit()
        .map((part) => part.getText()),
    };
  if (node instanceof tree.PosParameterLiteralContext || node instanceof tree.NamedParameterLiteralContext)
    return { kind: 'parameter' };
  if (node instanceof tree.IntervalLiteralContext) return { kind: 'interval' };
  if (node instanceof tree.TypeConstructorContext && node.literalType().DATE() !== null)
    return { kind: 'date', text: node.singleStringLitWithoutMarker().getText() };
  if (node instanceof tree.FunctionCallContext && isListOfValues(node)) return { kind: 'other' };
  // As the values of parameters are written.
  if (node instanceof tree.CastContext && writtenValue(node.expression()) !== null) return { kind: 'other' };
  if (
    node instanceof tree.TypeConstructorContext ||
    node instanceof tree.NullLiteralContext ||
    node instanceof tree.BooleanLiteralContext
  )
    return { kind: 'other' };
  return null;
}

/** array(0.5, 0.9) */
function isListOfValues(node: tree.FunctionCallContext): boolean {
  if (sameName(nameText(node.functionName().getText())) !== 'array') return false;
  return node.functionArgument().every((value) => writtenValue(value) !== null);
}
