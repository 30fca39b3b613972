/** As much of `json_serialize_plan` as is looked at. */

export interface PlanType {
  readonly id: string;
  readonly type_info: unknown;
}

export interface PlanNode {
  readonly type: string;
  readonly children: readonly PlanNode[];
  readonly name?: string;
  /** Of a list of values: a list for each row. */
  readonly expressions?: readonly (Expression | readonly Expression[])[];
  readonly groups?: readonly Expression[];
  readonly column_indexes?: readonly unknown[];
  readonly projection_map?: readonly unknown[];
  readonly projections?: readonly unknown[];
  readonly left_projection_map?: readonly unknown[];
  readonly right_projection_map?: readonly unknown[];
  readonly join_type?: string;
  readonly table_index?: number;
  readonly cte_index?: number;
}

export interface Expression {
  readonly expression_class: string;
  readonly type: string;
  readonly return_type?: PlanType;
  readonly name?: string;
  /** Of a reference: the column of the step below. */
  readonly index?: number;
  readonly children?: readonly Expression[];
  readonly child?: Expression;
  readonly case_checks?: readonly { readonly then_expr: Expression }[];
  readonly else_expr?: Expression;
  readonly default_expr?: Expression | null;
  readonly value?: { readonly type: PlanType; readonly is_null: boolean; readonly value?: unknown };
}

/** What the intervals in a column come from. `null`: there are none, or only NULL. */
export type Origin = 'duration' | 'null' | 'other';

export function combine(origins: readonly Origin[]): Origin {
  if (origins.includes('other')) return 'other';
  return origins.includes('duration') ? 'duration' : 'null';
}
