import { ParserRuleContext, type ParseTree, TerminalNode, type Token } from 'antlr4ng';
import { checkArguments } from './capped-arguments.ts';
import { checkConstantWork } from './constant-work.ts';
import { CteScope } from './cte-scope.ts';
import * as tree from './gen/SqlBaseParser.js';
import { widenCompared } from './integer-literals.ts';
import { type FunctionPlace, isAllowedFunction } from './lists/allowed-functions.ts';
import { explainNode, isAllowedNode } from './lists/allowed-nodes.ts';
import { refusedFunction } from './lists/refused-functions.ts';
import { refused } from './refusal.ts';
import type { TokenEdits } from './token-edits.ts';
import { childrenOf, nameText, sameName, startOf } from './tree-values.ts';
import { checkInlineTable, mustBeWritten } from './written-parts.ts';

/** Calls, brackets, subqueries and signs within each other. */
const nestingMax = 128;

/** Operators in a row: `a + b + c` is a tree as deep as it is long, and Spark walks it by recursion. */
const chainMax = 512;

/** Levels of a type: deeper ones are no table's, and the driver walks them by recursion. */
const typeDepthMax = 16;

const chains: ReadonlySet<unknown> = new Set<unknown>([
  tree.ArithmeticBinaryContext,
  tree.ShiftExpressionContext,
  tree.ComparisonContext,
  tree.LogicalBinaryContext,
  tree.SetOperationContext,
  tree.DereferenceContext,
  tree.SubscriptContext,
  tree.CastByColonContext,
]);

const nests: ReadonlySet<unknown> = new Set<unknown>([
  tree.QueryContext,
  tree.FunctionCallContext,
  tree.ParenthesizedExpressionContext,
  tree.LogicalNotContext,
  tree.ArithmeticUnaryContext,
  tree.SearchedCaseContext,
  tree.SimpleCaseContext,
  tree.CastContext,
  tree.LambdaContext,
  tree.StructContext,
  tree.RowConstructorContext,
  tree.PredicateContext,
  tree.AliasedRelationContext,
]);

/** Columns that are functions of the server unless a table has a column of that name. */
const serverColumns: ReadonlySet<string> = new Set([
  'current_user',
  'user',
  'session_user',
  'current_path',
  'current_catalog',
  'current_database',
  'current_schema',
]);

interface Depth {
  readonly nesting: number;
  readonly chain: number;
  readonly types: number;
}

export interface Parameters {
  /** The node of each, in the order of the text. */
  readonly nodes: readonly ParserRuleContext[];
  /** By name: each name once, in the order of the text. null if they are by position. */
  readonly names: readonly string[] | null;
}

/** What names in a statement mean, and what is written for them. */
export interface TableNames {
  /** What is written for a table that is no CTE. Throws if it cannot be meant. */
  table(name: string, position: number | null): string;
  /** What is written for a new CTE. */
  cte(name: string): string;
}

/** Walks a tree once: nodes, names and functions by the lists, tables and CTEs by `names`. Throws what is refused. */
export class StatementCheck {
  readonly #names: TableNames;
  readonly #edits: TokenEdits;
  readonly #parameters: ParserRuleContext[] = [];
  #parameterNames: Set<string> | null = null;

  constructor(names: TableNames, edits: TokenEdits) {
    this.#names = names;
    this.#edits = edits;
  }

  check(root: ParserRuleContext): Parameters {
    this.#visit(root, CteScope.empty, { nesting: 0, chain: 0, types: 0 });
    const names = this.#parameterNames === null ? null : [...this.#parameterNames];
    return { nodes: this.#parameters, names };
  }

  #visit(node: ParserRuleContext, scope: CteScope, depth: Depth): void {
    if (!isAllowedNode(node)) {
      const [detail, hint] = explainNode(node);
      throw refused(detail, startOf(node), hint);
    }
    const within = deeper(node, depth);
    if (node instanceof tree.QueryContext) this.#query(node, scope, within);
    else {
      this.#checkNode(node, scope);
      this.#children(childrenOf(node), scope, within);
    }
  }

  #children(children: readonly ParseTree[], scope: CteScope, depth: Depth): void {
    for (const child of children) {
      if (child instanceof ParserRuleContext) this.#visit(child, scope, depth);
      else if (child instanceof TerminalNode) checkToken(child.symbol);
    }
  }

  /** Each WITH sees those before it; the query sees all of them. */
  #query(query: tree.QueryContext, outer: CteScope, depth: Depth): void {
    const ctes = query.ctes();
    if (ctes !== null && !isAllowedNode(ctes)) throw refused('WITH is not offered.', startOf(ctes));
    let scope = outer;
    if (ctes !== null) {
      const recursive = ctes.RECURSIVE();
      if (recursive !== null)
        throw refused(
          'WITH RECURSIVE is not offered.',
          recursive.symbol.start,
          'Use the default engine for it.',
        );
      const here = new Set<string>();
      for (const named of ctes.namedQuery()) scope = this.#namedQuery(named, scope, here, depth);
    }
    this.#visit(query.queryTerm(), scope, depth);
    this.#visit(query.queryOrganization(), scope, depth);
  }

  #namedQuery(named: tree.NamedQueryContext, scope: CteScope, here: Set<string>, depth: Depth): CteScope {
    const position = startOf(named);
    if (named.RECURSION() !== null) throw refused('MAX RECURSION LEVEL is not offered.', position);
    const identifier = named.errorCapturingIdentifier();
    this.#visit(identifier, scope, depth);
    const columns = named.identifierList();
    if (columns !== null) this.#visit(columns, scope, depth);
    this.#visit(named.query(), scope, depth);
    const name = nameText(identifier.getText());
    if (here.has(sameName(name)))
      throw refused(`WITH has two queries with the name ${name}.`, position, 'Rename one of them.');
    here.add(sameName(name));
    const written = this.#names.cte(name);
    this.#edits.replace(onlyToken(identifier), written);
    return scope.with(name, written);
  }

  #checkNode(node: ParserRuleContext, scope: CteScope): void {
    checkConstantWork(node);
    widenCompared(node, this.#edits);
    if (node instanceof tree.TableNameContext) this.#tableName(node, scope);
    else if (node instanceof tree.TableContext)
      this.#edits.replace(onlyToken(node.identifierReference()), this.#resolve(node, scope).written);
    else if (node instanceof tree.FunctionCallContext)
      this.#function(node.functionName(), 'expression', node.functionArgument());
    else if (node instanceof tree.TableFunctionCallContext)
      this.#function(node.functionName(), 'table', node.functionTableArgument());
    else if (node instanceof tree.LateralViewContext)
      this.#function(node.qualifiedName(), 'table', node.expression());
    else if (node instanceof tree.PosParameterLiteralContext) this.#parameter(node, null);
    else if (node instanceof tree.NamedParameterLiteralContext)
      this.#parameter(node, nameText(node.namedParameterMarker().simpleIdentifier().getText()));
    else if (node instanceof tree.CurrentLikeContext) checkCurrent(node);
    else if (node instanceof tree.ColumnReferenceContext) checkColumn(node);
    else if (node instanceof tree.InlineTableContext) checkInlineTable(node);
    else checkPart(node);
  }

  #tableName(node: tree.TableNameContext, scope: CteScope): void {
    const { name, written } = this.#resolve(node, scope);
    this.#edits.replace(onlyToken(node.identifierReference()), written);
    // Columns are still found by the name of the table. The alias is the last part of the node, behind TABLESAMPLE.
    if (node.tableAlias().strictIdentifier() === null && node.stop !== null && written !== name)
      this.#edits.after(node.stop, `AS \`${name.replaceAll('`', '``')}\``);
  }

  #resolve(
    node: tree.TableNameContext | tree.TableContext,
    scope: CteScope,
  ): { name: string; written: string } {
    const parts = node.identifierReference().multipartIdentifier()?.errorCapturingIdentifier() ?? [];
    const position = startOf(node.identifierReference());
    const [only] = parts;
    if (only === undefined || parts.length !== 1)
      throw refused(
        `The table ${node.identifierReference().getText()} cannot be read: only frames can, by one name.`,
        position,
        'Write the name of a frame; with a version or an owner in back-quotes: `trades@3`, `tenant:trades`.',
      );
    const name = nameText(only.getText());
    return { name, written: scope.find(name) ?? this.#names.table(name, position) };
  }

  #function(
    named: tree.FunctionNameContext | tree.QualifiedNameContext,
    place: FunctionPlace,
    values: readonly ParseTree[],
  ): void {
    const position = startOf(named);
    const qualified = named instanceof tree.QualifiedNameContext ? named : named.qualifiedName();
    if (qualified !== null && qualified.identifier().length !== 1)
      throw refused(
        `The function ${named.getText()} cannot be called with a schema before it.`,
        position,
        'Write the name alone.',
      );
    const name = sameName(nameText(named.getText()));
    if (!isAllowedFunction(name, place)) {
      const known = refusedFunction(name);
      const reason = known === null ? '' : ` ${known.reason}`;
      const where = place === 'table' && isAllowedFunction(name, 'expression') ? ' as a table' : '';
      throw refused(`The function ${name} is not offered${where}.${reason}`, position, known?.hint);
    }
    checkArguments(name, values, position);
  }

  #parameter(node: ParserRuleContext, name: string | null): void {
    const mixed = this.#parameters.length > 0 && (this.#parameterNames === null) !== (name === null);
    if (mixed)
      throw refused(
        'Parameters are given by position and by name.',
        startOf(node),
        'Write all of them as ?, or all of them as :name.',
      );
    this.#parameters.push(node);
    if (name !== null) this.#parameterNames = (this.#parameterNames ?? new Set()).add(name);
  }
}

function deeper(node: ParserRuleContext, depth: Depth): Depth {
  const nesting = depth.nesting + (nests.has(node.constructor) ? 1 : 0);
  const chain = depth.chain + (chains.has(node.constructor) ? 1 : 0);
  const types = depth.types + (node instanceof tree.ComplexDataTypeContext ? 1 : 0);
  if (nesting > nestingMax)
    throw refused('The statement is nested too deeply.', startOf(node), 'Name inner parts with WITH.');
  if (chain > chainMax)
    throw refused(
      `The statement has more than ${chainMax} operators in a row.`,
      startOf(node),
      'Use IN (…) for many values, or a frame and a join.',
    );
  if (types > typeDepthMax)
    throw refused(`A type has more than ${typeDepthMax} levels.`, startOf(node), 'Use fewer levels.');
  return { nesting, chain, types };
}

function checkToken({ type, text, start }: Token): void {
  if (type === tree.SqlBaseParser.IDENTIFIER_KW)
    throw refused(
      'IDENTIFIER(…) is not offered.',
      start,
      'Write the name itself, in back-quotes if it is `identifier`.',
    );
  if (text !== undefined && sameName(nameText(text)) === '_metadata')
    throw refused(
      'The column _metadata tells where frames are stored.',
      start,
      'Select columns of the frame.',
    );
}

function checkCurrent(node: tree.CurrentLikeContext): void {
  if (node.CURRENT_DATE() !== null || node.CURRENT_TIMESTAMP() !== null) return;
  throw refused(
    `${node.getText()} tells about the server, not about frames.`,
    startOf(node),
    'If it is a column, write it with its table before it, in back-quotes: t.`user`.',
  );
}

/** A name alone. Behind a table and a dot it can only be a column. */
function checkColumn(node: tree.ColumnReferenceContext): void {
  if (node.parent instanceof tree.DereferenceContext) return;
  const name = nameText(node.getText());
  if (!serverColumns.has(sameName(name))) return;
  throw refused(
    `${name} tells about the server, not about frames.`,
    startOf(node),
    'If it is a column, write its table before it: t.`user`.',
  );
}

function checkPart(node: ParserRuleContext): void {
  if (node instanceof tree.QueryOrganizationContext) {
    mustBeWritten(node._limit, 'LIMIT');
    mustBeWritten(node._offset, 'OFFSET');
  } else if (node instanceof tree.FrameBoundContext) mustBeWritten(node.expression(), 'A bound of a window');
  else if (node instanceof tree.SampleByRowsContext) mustBeWritten(node.expression(), 'The number of rows');
  else if (node instanceof tree.PivotValueContext) mustBeWritten(node.expression(), 'A value in PIVOT');
  else if (node instanceof tree.PrimitiveTypeContext && node.identifier() !== null)
    throw refused(`There is no type ${node.getText()}.`, startOf(node));
  else if (node instanceof tree.LiteralTypeContext && node.identifier() !== null)
    throw refused(`There are no literals of a type ${node.getText()}.`, startOf(node));
  else if (
    node instanceof tree.NonTrivialPrimitiveTypeContext &&
    (node.GEOGRAPHY() !== null || node.GEOMETRY() !== null || node.TIME() !== null)
  )
    throw refused(`The type ${node.getText()} is not offered.`, startOf(node), 'Use texts or timestamps.');
  // An empty struct is one token, after which Spark's lexer and parser must agree on a counter.
  else if (node instanceof tree.ComplexDataTypeContext && node.NEQ() !== null)
    throw refused('A struct needs a field.', startOf(node));
}

/** A name is one token: IDENTIFIER(…) is none, and a-b is refused by the parser. */
function onlyToken(node: ParserRuleContext): Token {
  if (node.start === null || node.start !== node.stop)
    throw refused('A name has several parts.', startOf(node));
  return node.start;
}
