/** What a chart shows, and how a sensible first one is chosen from the columns. */
export type ChartKind = 'line' | 'area' | 'bar' | 'scatter' | 'histogram';
export type Aggregate = 'avg' | 'sum' | 'min' | 'max' | 'count';

export interface ChartChoice {
  readonly kind: ChartKind;
  readonly x: string;
  /** None: rows are counted. */
  readonly y: readonly string[];
  /** A series for each of the most frequent values of this column. */
  readonly by: string | null;
  readonly aggregate: Aggregate;
}

export interface ChartColumn {
  readonly name: string;
  readonly type: string;
}

export type ColumnRole = 'time' | 'number' | 'category' | 'other';

export const chartKinds: readonly ChartKind[] = ['line', 'area', 'bar', 'scatter', 'histogram'];
export const aggregates: readonly Aggregate[] = ['avg', 'sum', 'min', 'max', 'count'];
/** More lines or bars in one chart cannot be told apart. */
export const seriesMax = 8;

const numberTypes = /^(U?(BYTE|SHORT|INT|LONG)|FLOAT|DOUBLE|DECIMAL\(\d+,-?\d+\))$/;

export function roleOf(type: string): ColumnRole {
  if (type === 'TIMESTAMP' || type === 'TIMESTAMP_NS' || type === 'DATE') return 'time';
  if (numberTypes.test(type)) return 'number';
  if (['STRING', 'SYMBOL', 'BOOLEAN', 'UUID'].includes(type)) return 'category';
  return 'other';
}

/** The first chart of a table: what most people would draw. Null if there is nothing to draw. */
export function suggestChoice(columns: readonly ChartColumn[]): ChartChoice | null {
  const byRole = (role: ColumnRole) => columns.filter((column) => roleOf(column.type) === role);
  const [time] = byRole('time');
  const numbers = byRole('number');
  const [category] = byRole('category');
  const measures = numbers.filter((column) => !looksLikeId(column.name));
  const [measure = numbers[0]] = measures;
  const choice = (kind: ChartKind, x: string, y: readonly string[], aggregate: Aggregate): ChartChoice => ({
    kind,
    x,
    y,
    by: null,
    aggregate,
  });
  if (time !== undefined)
    return choice(
      'line',
      time.name,
      measure === undefined ? [] : [measure.name],
      measure === undefined ? 'count' : 'avg',
    );
  if (category !== undefined)
    return choice(
      'bar',
      category.name,
      measure === undefined ? [] : [measure.name],
      measure === undefined ? 'count' : 'sum',
    );
  const [first, second] = numbers;
  if (first === undefined) return null;
  if (second === undefined) return choice('histogram', first.name, [], 'count');
  return choice('line', first.name, [second.name], 'avg');
}

/** Names of keys rather than of amounts. */
function looksLikeId(name: string): boolean {
  return /(^|_)(id|key|no|number|year)$/i.test(name);
}

/** The choice as far as the columns have it: they may have changed since, or the address may be wrong. */
export function fittingChoice(
  choice: ChartChoice | null,
  columns: readonly ChartColumn[],
): ChartChoice | null {
  const suggested = suggestChoice(columns);
  if (choice === null || suggested === null) return suggested;
  const roles = new Map(columns.map((column) => [column.name, roleOf(column.type)]));
  const xRole = roles.get(choice.x);
  if (xRole === undefined || xRole === 'other') return suggested;
  const kind = kindsFor(xRole).includes(choice.kind) ? choice.kind : 'bar';
  const y = choice.y.filter((name) => roles.get(name) === 'number').slice(0, seriesMax);
  const hasBy = choice.by !== null && roles.get(choice.by) === 'category' && choice.by !== choice.x;
  if (kind === 'scatter' && y.length === 0) {
    const other = columns.find((column) => roleOf(column.type) === 'number' && column.name !== choice.x);
    return other === undefined
      ? suggested
      : { ...choice, kind, y: [other.name], by: hasBy ? choice.by : null };
  }
  if (kind === 'histogram') return { kind, x: choice.x, y: [], by: null, aggregate: 'count' };
  return {
    kind,
    x: choice.x,
    y,
    by: hasBy ? choice.by : null,
    aggregate: y.length === 0 ? 'count' : choice.aggregate,
  };
}

export function kindsFor(xRole: ColumnRole): readonly ChartKind[] {
  return xRole === 'category' ? ['bar'] : chartKinds;
}

/** As parameters of the address. */
export function parametersOf(choice: ChartChoice): Record<string, string | null> {
  return {
    chart: choice.kind,
    x: choice.x,
    // A name may have any character.
    y: choice.y.length === 0 ? null : JSON.stringify(choice.y),
    by: choice.by,
    agg: choice.aggregate,
  };
}

export function choiceOf(parameters: URLSearchParams): ChartChoice | null {
  const kind = chartKinds.find((each) => each === parameters.get('chart'));
  const x = parameters.get('x');
  if (kind === undefined || x === null) return null;
  return {
    kind,
    x,
    y: namesOf(parameters.get('y')),
    by: parameters.get('by'),
    aggregate: aggregates.find((each) => each === parameters.get('agg')) ?? 'avg',
  };
}

function namesOf(text: string | null): string[] {
  try {
    const names: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string').slice(0, seriesMax) : [];
  } catch {
    return [];
  }
}
