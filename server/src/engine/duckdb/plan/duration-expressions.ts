import { combine, type Expression, type Origin, type PlanType } from './plan-json.ts';

/** These make a span of hours or less out of a number. */
const makers = new Set(['to_hours', 'to_minutes', 'to_seconds', 'to_milliseconds', 'to_microseconds']);

/** Functions and aggregates whose intervals have no months if those of their arguments have none. */
const carriers = new Set([
  ...['+', '-', '*', '/', 'add', 'subtract', 'multiply', 'divide'],
  ...[
    'greatest',
    'least',
    'nullif',
    'struct_pack',
    'row',
    'list_value',
    'struct_extract',
    'struct_extract_at',
  ],
  ...[
    'array_extract',
    'list_extract',
    'list_element',
    'map',
    'map_extract',
    'map_extract_value',
    'element_at',
  ],
  ...[
    'min',
    'max',
    'avg',
    'mean',
    'median',
    'mode',
    'quantile_disc',
    'first',
    'last',
    'any_value',
    'arbitrary',
  ],
  ...['arg_min', 'arg_max', 'min_by', 'max_by', 'list', 'array_agg'],
]);

const windows = new Set([
  'WINDOW_LAG',
  'WINDOW_LEAD',
  'WINDOW_FIRST_VALUE',
  'WINDOW_LAST_VALUE',
  'WINDOW_NTH_VALUE',
]);

/** Literals like INTERVAL '90 minutes' and INTERVAL '1:30:00'. */
const plainLiteral =
  /^\s*-?(?:\d+(?:\.\d+)?\s*(?:hour|minute|second|millisecond|microsecond)s?|\d+:\d{2}:\d{2}(?:\.\d+)?)\s*$/i;

/** What the intervals of an expression come from; `rows` are the columns it can refer to. */
export function wholeExpression(expression: Expression, rows: readonly Origin[] | null): Origin {
  const { name = '', children = [] } = expression;
  const all = (inner: readonly Expression[]) => combine(inner.map((each) => wholeExpression(each, rows)));
  if (expression.return_type !== undefined && !hasInterval(expression.return_type)) return 'null';
  switch (expression.expression_class) {
    case 'BOUND_REF':
      return rows?.[expression.index ?? -1] ?? 'other';
    case 'BOUND_CONSTANT':
      return expression.value?.is_null || !hasInterval(expression.value?.type) ? 'null' : 'other';
    case 'BOUND_CAST':
      return castOf(expression.child, rows);
    case 'BOUND_CASE': {
      const checks = expression.case_checks ?? [];
      return all([
        ...checks.map((check) => check.then_expr),
        ...(expression.else_expr ? [expression.else_expr] : []),
      ]);
    }
    case 'BOUND_OPERATOR':
      return expression.type === 'OPERATOR_COALESCE' ? all(children) : 'other';
    case 'BOUND_FUNCTION':
    case 'BOUND_AGGREGATE':
      if (name === 'error') return 'null';
      if (makers.has(name) || isDifference(name, children)) return 'duration';
      return carriers.has(name) ? all(children) : 'other';
    case 'BOUND_WINDOW': {
      if (!windows.has(expression.type) && !carriers.has(name)) return 'other';
      return all([...children, ...(expression.default_expr ? [expression.default_expr] : [])]);
    }
    case 'BOUND_UNNEST':
      return expression.child ? wholeExpression(expression.child, rows) : 'other';
    default:
      return 'other';
  }
}

function castOf(child: Expression | undefined, rows: readonly Origin[] | null): Origin {
  const value = child?.value;
  if (child === undefined) return 'other';
  if (value?.is_null) return 'null';
  if (value?.type.id === 'VARCHAR') return plainLiteral.test(String(value.value)) ? 'duration' : 'other';
  return hasInterval(child.return_type) ? wholeExpression(child, rows) : 'other';
}

/** Of two instants: days of 24 hours, and never months. */
function isDifference(name: string, children: readonly Expression[]): boolean {
  const isInstant = ({ return_type }: Expression) => return_type?.id.startsWith('TIMESTAMP') === true;
  return (name === '-' || name === 'subtract') && children.length === 2 && children.every(isInstant);
}

function hasInterval(type: PlanType | undefined): boolean {
  return type !== undefined && JSON.stringify(type).includes('"INTERVAL"');
}
