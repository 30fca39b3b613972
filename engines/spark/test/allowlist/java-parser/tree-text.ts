import { type ParserRuleContext, type ParseTree, TerminalNode } from 'antlr4ng';
import { FrameholdError } from '../../../../../server/src/model/errors.ts';
import { SqlBaseLexer } from '../../../src/allowlist/gen/SqlBaseLexer.js';
import {
  BackQuotedIdentifierContext,
  NonReservedContext,
  QuotedIdentifierContext,
} from '../../../src/allowlist/gen/SqlBaseParser.js';
import { parseStatement } from '../../../src/allowlist/parse.ts';

/** How we read a statement, in the words of PrintTrees.java; an exclamation mark if it is refused. */
export function ourTree(statement: string): string {
  try {
    const out: string[] = [];
    write(parseStatement(statement).tree, out);
    return out.join('');
  } catch (thrown) {
    if (thrown instanceof FrameholdError && thrown.kind === 'sql_invalid') return `!${thrown.message}`;
    if (thrown instanceof RangeError) return '!DEEP';
    throw thrown;
  }
}

function write(node: ParseTree, out: string[]): void {
  if (node instanceof TerminalNode) {
    out.push(terminal(node.symbol.type, node.getText()));
    return;
  }
  const name = replacedByName(node);
  if (name !== null) {
    out.push(terminal(SqlBaseLexer.IDENTIFIER, name));
    return;
  }
  const context = node as ParserRuleContext;
  out.push('(', context.constructor.name.slice(0, -'Context'.length));
  for (const child of context.children) {
    out.push(' ');
    write(child, out);
  }
  out.push(')');
}

/** Spark replaces these nodes by a plain name while it parses. Our tree keeps them: they say how the name was written. */
function replacedByName(node: ParseTree): string | null {
  if (node instanceof NonReservedContext) return node.getText();
  if (node instanceof QuotedIdentifierContext || node instanceof BackQuotedIdentifierContext)
    return node.getText().slice(1, -1).replaceAll('``', '`');
  return null;
}

function terminal(type: number, text: string): string {
  return `${type}<${text.replaceAll(/[^ -[\]-~]/g, (unit) => `\\${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)}>`;
}
