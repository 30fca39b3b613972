import type { DuckDBConnection, DuckDBType } from '@duckdb/node-api';
import { DuckDBTypeId } from '@duckdb/node-api';
import { viewSources } from '../tables/table-view.ts';
import { wholeExpression } from './duration-expressions.ts';
import { combine, type Expression, type Origin, type PlanNode } from './plan-json.ts';

/**
 * The engine has one type for all spans of time, INTERVAL, and Arrow has two: durations, which every client knows, and intervals of months, days and
 * nanoseconds, which some refuse. Which of the result's columns are durations is read off the plan, before the first row: those made of Duration
 * columns, differences of instants and hours or less, and of nothing else. What this does not understand stays an interval.
 */
export async function durationColumns(
  connection: DuckDBConnection,
  query: string,
  types: readonly DuckDBType[],
): Promise<readonly boolean[]> {
  if (!types.some(hasInterval)) return types.map(() => false);
  const plan = await planOf(connection, query);
  const origins = plan === null ? null : new PlanColumns().of(plan);
  return types.map((_, index) => origins?.[index] === 'duration');
}

function hasInterval(type: DuckDBType): boolean {
  switch (type.typeId) {
    case DuckDBTypeId.INTERVAL:
      return true;
    case DuckDBTypeId.LIST:
    case DuckDBTypeId.ARRAY:
      return hasInterval(type.valueType);
    case DuckDBTypeId.STRUCT:
      return type.entryTypes.some(hasInterval);
    case DuckDBTypeId.MAP:
      return hasInterval(type.keyType) || hasInterval(type.valueType);
    default:
      return false;
  }
}

/** As the binder makes it; null for the few statements whose plan the engine cannot show. */
async function planOf(connection: DuckDBConnection, query: string): Promise<PlanNode | null> {
  const reader = await connection.runAndReadAll(
    'SELECT json_serialize_plan($1::VARCHAR, optimize := false)',
    [query],
  );
  const answer = JSON.parse(String(reader.value(0, 0))) as { plans?: readonly PlanNode[] };
  return answer.plans?.at(-1) ?? null;
}

/** What the columns of each step of a plan are made of; null for a step that is not known. */
class PlanColumns {
  readonly #tables = new Map<number, readonly Origin[] | null>();

  of(node: PlanNode): readonly Origin[] | null {
    const [first, second] = node.children;
    const input = first === undefined ? null : () => this.of(first);
    switch (node.type) {
      case 'LOGICAL_GET':
        return (node.column_indexes ?? []).map(() => 'other');
      case 'LOGICAL_DUMMY_SCAN':
        return ['null'];
      case 'LOGICAL_PROJECTION':
        // Right above its source is the view that makes a table of it, where every interval was a duration.
        if (first?.type === 'LOGICAL_GET' && viewSources.has(first.name ?? ''))
          return (node.expressions ?? []).map(() => 'duration');
        return expressions(node.expressions, input?.() ?? null);
      case 'LOGICAL_FILTER':
      case 'LOGICAL_ORDER_BY':
        return isEmpty(node.projection_map) && isEmpty(node.projections) ? (input?.() ?? null) : null;
      case 'LOGICAL_LIMIT':
      case 'LOGICAL_DISTINCT':
      case 'LOGICAL_SAMPLE':
        return input?.() ?? null;
      case 'LOGICAL_AGGREGATE_AND_GROUP_BY': {
        const rows = input?.() ?? null;
        return [...expressions(node.groups, rows), ...expressions(node.expressions, rows)];
      }
      case 'LOGICAL_WINDOW':
      case 'LOGICAL_UNNEST': {
        const rows = input?.() ?? null;
        return rows && [...rows, ...expressions(node.expressions, rows)];
      }
      case 'LOGICAL_EXPRESSION_GET':
        return valuesOf(node);
      case 'LOGICAL_UNION':
      case 'LOGICAL_EXCEPT':
      case 'LOGICAL_INTERSECT': {
        const sides = node.children.map((child) => this.of(child));
        const [one] = sides;
        return one?.map((_, index) => combine(sides.map((side) => side?.[index] ?? 'other'))) ?? null;
      }
      case 'LOGICAL_COMPARISON_JOIN':
      case 'LOGICAL_ANY_JOIN':
      case 'LOGICAL_ASOF_JOIN':
      case 'LOGICAL_POSITIONAL_JOIN':
      case 'LOGICAL_CROSS_PRODUCT':
        return this.#joined(node);
      case 'LOGICAL_MATERIALIZED_CTE':
        if (first === undefined || second === undefined || node.table_index === undefined) return null;
        this.#tables.set(node.table_index, this.of(first));
        return this.of(second);
      case 'LOGICAL_CTE_REF':
        return (node.cte_index !== undefined && this.#tables.get(node.cte_index)) || null;
      default:
        return null;
    }
  }

  #joined(node: PlanNode): readonly Origin[] | null {
    if (!isEmpty(node.left_projection_map) || !isEmpty(node.right_projection_map)) return null;
    const [left, right] = node.children.map((child) => this.of(child));
    if (!left || !right) return null;
    switch (node.join_type ?? 'INNER') {
      case 'SEMI':
      case 'ANTI':
        return left;
      case 'MARK':
        return [...left, 'other'];
      case 'INNER':
      case 'LEFT':
      case 'RIGHT':
      case 'OUTER':
      case 'FULL':
      case 'SINGLE':
        return [...left, ...right];
      default:
        return null;
    }
  }
}

function expressions(
  made: readonly (Expression | readonly Expression[])[] | undefined,
  rows: readonly Origin[] | null,
): Origin[] {
  return (made ?? []).map((each) => (isRow(each) ? 'other' : wholeExpression(each, rows)));
}

/** A list of rows in the text: a column is what all of them say. */
function valuesOf({ expressions: rows }: PlanNode): readonly Origin[] | null {
  const [first] = rows ?? [];
  if (rows === undefined || first === undefined || !isRow(first)) return null;
  return first.map((_, index) =>
    combine(
      rows.map((row) => {
        const cell = isRow(row) ? row[index] : undefined;
        return cell === undefined ? 'other' : wholeExpression(cell, null);
      }),
    ),
  );
}

function isRow(made: Expression | readonly Expression[]): made is readonly Expression[] {
  return Array.isArray(made);
}

function isEmpty(list: readonly unknown[] | undefined): boolean {
  return list === undefined || list.length === 0;
}
