import { ParserRuleContext } from 'antlr4ng';
import * as tree from './gen/SqlBaseParser.js';
import { type AllowlistFinding, refused } from './refusal.ts';
import { childrenOf, nameText, sameName, startOf } from './tree-values.ts';

/** Tables that a plan may have once each WITH is written out where it is used. TPC-DS has one with some 300; doubling WITHs reach billions. */
const relationsMax = 320;

/** How often `*` may repeat the columns of a table. */
const starsMax = 64;

/** References to columns in an expression once the expressions that it refers to are written out, as Spark's optimiser may do. */
const growthMax = 4_096;

/** Grouping sets of one GROUP BY: each makes a copy of every row. */
const groupingSetsMax = 512;

interface Size {
  readonly relations: number;
  readonly stars: number;
  readonly growth: number;
}

type Scope = ReadonlyMap<string, Size>;

const nothing: Size = { relations: 0, stars: 0, growth: 1 };
const oneTable: Size = { relations: 1, stars: 1, growth: 1 };

/** Throws for a statement that is short but whose plan is not: the driver would plan it for minutes, or run out of memory. */
export function checkSize(root: ParserRuleContext): void {
  const size = sizeOf(root, new Map());
  const start = startOf(root);
  if (size.relations > relationsMax)
    throw tooLarge(`reads more than ${relationsMax} tables, with each WITH counted where it is used`, start);
  if (size.stars > starsMax) throw tooLarge(`repeats columns with * more than ${starsMax} times`, start);
  if (size.growth > growthMax)
    throw tooLarge('has expressions that refer to each other too often, each time more than once', start);
}

function tooLarge(what: string, position: number | null): AllowlistFinding {
  return refused(`The statement ${what}.`, position, 'Keep an intermediate result as a frame, with "into".');
}

function sizeOf(node: ParserRuleContext, scope: Scope): Size {
  if (node instanceof tree.QueryContext) return querySize(node, scope);
  if (node instanceof tree.RegularQuerySpecificationContext) return selectSize(node, scope);
  if (node instanceof tree.TableNameContext || node instanceof tree.TableContext) {
    const name = nameText(node.identifierReference().getText());
    const found = scope.get(sameName(name));
    const sample = node instanceof tree.TableNameContext ? node.sample() : null;
    const below = sample === null ? nothing : sizeOf(sample, scope);
    return both(found ?? oneTable, below);
  }
  if (node instanceof tree.InlineTableContext || node instanceof tree.TableFunctionCallContext)
    return both(oneTable, below(node, scope));
  if (node instanceof tree.SetOperationContext) {
    const sides = node.queryTerm().map((term) => sizeOf(term, scope));
    return {
      relations: sum(sides, 'relations'),
      stars: most(sides, 'stars'),
      growth: most(sides, 'growth'),
    };
  }
  if (node instanceof tree.AggregationClauseContext) checkGroupingSets(node);
  return below(node, scope);
}

/** Of all that is below a node, beside each other. */
function below(node: ParserRuleContext, scope: Scope): Size {
  let size = nothing;
  for (const child of childrenOf(node))
    if (child instanceof ParserRuleContext) size = both(size, sizeOf(child, scope));
  return size;
}

function both(left: Size, right: Size): Size {
  return {
    relations: left.relations + right.relations,
    stars: left.stars + right.stars,
    growth: Math.max(left.growth, right.growth),
  };
}

function sum(sizes: readonly Size[], key: keyof Size): number {
  return sizes.reduce((total, size) => total + size[key], 0);
}

function most(sizes: readonly Size[], key: keyof Size): number {
  return sizes.reduce((highest, size) => Math.max(highest, size[key]), 0);
}

function querySize(query: tree.QueryContext, outer: Scope): Size {
  const scope = new Map(outer);
  for (const named of query.ctes()?.namedQuery() ?? [])
    scope.set(sameName(nameText(named.errorCapturingIdentifier().getText())), sizeOf(named.query(), scope));
  const rows = sizeOf(query.queryTerm(), scope);
  const order = sizeOf(query.queryOrganization(), scope);
  return { ...rows, relations: rows.relations + order.relations };
}

function selectSize(select: tree.RegularQuerySpecificationContext, scope: Scope): Size {
  let source = nothing;
  let other = nothing;
  for (const child of childrenOf(select)) {
    if (!(child instanceof ParserRuleContext)) continue;
    if (child instanceof tree.FromClauseContext) source = both(source, sizeOf(child, scope));
    else other = both(other, sizeOf(child, scope));
  }
  const { stars, references } = selectedColumns(select.selectClause());
  return {
    relations: source.relations + other.relations,
    stars: stars * Math.max(1, source.stars),
    growth: Math.max(references * Math.max(source.growth, other.growth), other.growth),
  };
}

/** An item may refer to the items before it by their names. */
function selectedColumns(clause: tree.SelectClauseContext): { stars: number; references: number } {
  const named = new Map<string, number>();
  let stars = 0;
  let references = 1;
  for (const item of clause.namedExpressionSeq().namedExpression()) {
    const found = { stars: 0, references: 0 };
    countReferences(item.expression(), named, found);
    stars += found.stars;
    references = Math.max(references, found.references);
    const alias = item.errorCapturingIdentifier();
    if (alias !== null) named.set(sameName(nameText(alias.getText())), Math.max(1, found.references));
  }
  return { stars, references };
}

function countReferences(
  node: ParserRuleContext,
  named: ReadonlyMap<string, number>,
  found: { stars: number; references: number },
): void {
  if (node instanceof tree.StarContext) found.stars += 1;
  else if (node instanceof tree.ColumnReferenceContext)
    found.references += named.get(sameName(nameText(node.getText()))) ?? 1;
  // A subquery is counted by itself.
  if (node instanceof tree.QueryContext) return;
  for (const child of childrenOf(node))
    if (child instanceof ParserRuleContext) countReferences(child, named, found);
}

function checkGroupingSets(clause: tree.AggregationClauseContext): void {
  let sets = 1;
  for (const item of clause.groupByClause()) {
    const analytics = item.groupingAnalytics();
    if (analytics !== null) sets *= setsOf(analytics);
  }
  const plain = clause.namedExpression().length + clause.groupByClause().length;
  if (clause.CUBE() !== null) sets *= 2 ** plain;
  if (clause.ROLLUP() !== null) sets *= plain + 1;
  sets *= Math.max(1, clause.groupingSet().length);
  if (sets > groupingSetsMax)
    throw refused(
      `A GROUP BY makes more than ${groupingSetsMax} groupings.`,
      startOf(clause),
      'Use fewer columns in CUBE, or several statements.',
    );
}

function setsOf(analytics: tree.GroupingAnalyticsContext): number {
  const columns = analytics.groupingSet().length;
  if (analytics.CUBE() !== null) return 2 ** columns;
  if (analytics.ROLLUP() !== null) return columns + 1;
  return analytics.groupingElement().reduce((total, element) => {
    const inner = element.groupingAnalytics();
    return total + (inner === null ? 1 : setsOf(inner));
  }, 0);
}
