import { quoteName } from '../sql/sql-names.ts';

const operators = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'contains', 'in', 'null', 'notnull'] as const;
export type Operator = (typeof operators)[number];

export interface Filter {
  readonly column: string;
  readonly operator: Operator;
  /** None for `null` and `notnull`, any number for `in`, else one. */
  readonly values: readonly string[];
}

export interface SortKey {
  readonly column: string;
  readonly isDescending: boolean;
}

/** What SQL knows of a column: its own name (SQL renames columns whose names differ only in case) and the type of its values. */
export interface SqlColumn {
  readonly name: string;
  readonly sqlName: string;
  /** As `DESCRIBE` shows it: `BIGINT`, `DECIMAL(38,10)`, `TIMESTAMP WITH TIME ZONE` … */
  readonly sqlType: string;
}

/** A value that cannot be compared exactly with a column. The text says what to write instead. */
export class FilterError extends Error {}

export function isOperator(text: string | undefined): text is Operator {
  return operators.some((operator) => operator === text);
}

export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Operators that make sense for a type. */
export function operatorsFor(sqlType: string): readonly Operator[] {
  const kind = kindOf(sqlType);
  if (kind === 'other') return ['null', 'notnull'];
  if (kind === 'boolean') return ['eq', 'null', 'notnull'];
  const compared: Operator[] = ['eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in', 'null', 'notnull'];
  return kind === 'text' ? ['contains', ...compared] : compared;
}

const signs = { eq: '=', ne: '<>', lt: '<', le: '<=', gt: '>', ge: '>=' } as const;

/** Conditions joined by AND; an empty text if there are none. */
export function whereClause(filters: readonly Filter[], columns: readonly SqlColumn[]): string {
  if (filters.length === 0) return '';
  return ` where ${filters.map((filter) => condition(filter, columnNamed(columns, filter.column))).join(' and ')}`;
}

/** The sort keys; the place in the frame decides between equal rows, so that pages neither overlap nor miss rows. */
export function orderClause(
  sort: readonly SortKey[],
  columns: readonly SqlColumn[],
  rowNumber: string,
): string {
  const keys = sort.map(({ column, isDescending }) => {
    const { sqlName } = columnNamed(columns, column);
    return `${quoteName(sqlName)} ${isDescending ? 'desc' : 'asc'} nulls last`;
  });
  return ` order by ${[...keys, rowNumber].join(', ')}`;
}

function condition({ operator, values }: Filter, column: SqlColumn): string {
  const name = quoteName(column.sqlName);
  if (operator === 'null') return `${name} is null`;
  if (operator === 'notnull') return `${name} is not null`;
  if (!operatorsFor(column.sqlType).includes(operator)) {
    throw new FilterError(`${column.name} is ${column.sqlType}, which cannot be compared like this.`);
  }
  if (operator === 'in') {
    if (values.length === 0) throw new FilterError(`Choose at least one value of ${column.name}.`);
    return `${name} in (${values.map((value) => literal(value, column)).join(', ')})`;
  }
  const [value] = values;
  if (value === undefined) throw new FilterError(`Enter a value for ${column.name}.`);
  if (operator === 'contains') return `contains(lower(${name}), lower(${quoteText(value)}))`;
  return `${name} ${signs[operator]} ${literal(value, column)}`;
}

function columnNamed(columns: readonly SqlColumn[], name: string): SqlColumn {
  const found = columns.find((column) => column.name === name);
  if (found === undefined) throw new FilterError(`There is no column ${name} that SQL can read.`);
  return found;
}

type Kind = 'integer' | 'decimal' | 'float' | 'boolean' | 'text' | 'time' | 'uuid' | 'other';

const integers = new Set([
  'TINYINT',
  'SMALLINT',
  'INTEGER',
  'BIGINT',
  'HUGEINT',
  'UTINYINT',
  'USMALLINT',
  'UINTEGER',
  'UBIGINT',
  'UHUGEINT',
]);
/** Decimals of a second that each type keeps. */
const fractions: Readonly<Record<string, number>> = {
  DATE: 0,
  TIME: 6,
  TIME_NS: 9,
  TIMESTAMP_S: 0,
  TIMESTAMP_MS: 3,
  TIMESTAMP: 6,
  TIMESTAMP_NS: 9,
  'TIMESTAMP WITH TIME ZONE': 6,
};

function kindOf(sqlType: string): Kind {
  if (integers.has(sqlType)) return 'integer';
  if (decimalOf(sqlType) !== null) return 'decimal';
  if (sqlType === 'FLOAT' || sqlType === 'DOUBLE') return 'float';
  if (sqlType === 'BOOLEAN') return 'boolean';
  if (sqlType === 'VARCHAR') return 'text';
  if (sqlType === 'UUID') return 'uuid';
  return sqlType in fractions ? 'time' : 'other';
}

function decimalOf(sqlType: string): { readonly precision: number; readonly scale: number } | null {
  const match = /^DECIMAL\((\d+),(\d+)\)$/.exec(sqlType);
  return match === null ? null : { precision: Number(match[1]), scale: Number(match[2]) };
}

/** A literal that is exactly the value that was typed, or an error: a rounded one would find other rows. */
function literal(typed: string, { name, sqlType }: SqlColumn): string {
  const value = typed.trim();
  switch (kindOf(sqlType)) {
    case 'text':
      return quoteText(typed);
    case 'integer':
      if (!/^[+-]?\d{1,38}$/.test(value))
        throw new FilterError(`${name} has whole numbers: ${value} is not one.`);
      return value.replace('+', '');
    case 'decimal':
      return decimalLiteral(value, name, sqlType);
    case 'float':
      if (!/^[+-]?(\d+\.?\d*(e[+-]?\d+)?|\.\d+(e[+-]?\d+)?|inf|infinity|nan)$/i.test(value)) {
        throw new FilterError(`${name} has numbers: ${value} is not one.`);
      }
      return `${quoteText(value)}::${sqlType}`;
    case 'boolean':
      if (!/^(true|false)$/i.test(value)) throw new FilterError(`${name} is true or false.`);
      return value.toLowerCase();
    case 'uuid':
      if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value)) {
        throw new FilterError(`${name} has UUIDs, such as 123e4567-e89b-12d3-a456-426614174000.`);
      }
      return `${quoteText(value)}::UUID`;
    case 'time':
      return timeLiteral(value, name, sqlType);
    case 'other':
      throw new FilterError(`${name} is ${sqlType}, which cannot be compared with a typed value.`);
  }
}

function decimalLiteral(value: string, name: string, sqlType: string): string {
  const { precision, scale } = decimalOf(sqlType) ?? { precision: 38, scale: 0 };
  const match = /^[+-]?(\d{0,38})(?:\.(\d{0,38}))?$/.exec(value);
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || whole + fraction === '')
    throw new FilterError(`${name} has numbers: ${value} is not one.`);
  if (fraction.length > scale) throw new FilterError(`${name} has ${scale} decimals; ${value} has more.`);
  if (whole.length > precision - scale) {
    throw new FilterError(`${name} has at most ${precision - scale} digits before the point.`);
  }
  return `${quoteText(value)}::${sqlType}`;
}

function timeLiteral(value: string, name: string, sqlType: string): string {
  const isTime = sqlType.startsWith('TIME') && !sqlType.startsWith('TIMESTAMP');
  const pattern = isTime
    ? /^\d{1,2}:\d{2}(:\d{2}(?:\.(\d{1,18}))?)?$/
    : /^[+-]?\d{1,6}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.(\d{1,18}))?)?)?(Z|[+-]\d{2}(?::?\d{2})?)?$/i;
  const match = pattern.exec(value);
  const example = isTime ? '12:30:00.5' : sqlType === 'DATE' ? '2024-02-29' : '2024-02-29 12:30:00.123456';
  if (match === null) throw new FilterError(`Write ${name} as ${example}.`);
  const fraction = (isTime ? match[2] : match[1]) ?? '';
  const kept = fractions[sqlType] ?? 6;
  if (fraction.replace(/0+$/, '').length > kept) {
    throw new FilterError(`${name} has ${kept} decimals of a second; ${value} has more.`);
  }
  if (sqlType === 'DATE' && value.length > 10 && !/[T ]00:00(:00(\.0+)?)?Z?$/i.test(value)) {
    throw new FilterError(`${name} has days without a time: write ${example}.`);
  }
  if (sqlType === 'TIMESTAMP WITH TIME ZONE') {
    const hasZone = !isTime && match[2] !== undefined;
    return `${quoteText(hasZone ? value : `${value}${value.length > 10 ? '' : ' 00:00:00'}Z`)}::TIMESTAMPTZ`;
  }
  if (!isTime && match[2] !== undefined && match[2].toUpperCase() !== 'Z') {
    throw new FilterError(`${name} has no time zone: write ${example}.`);
  }
  const plain = value.replace(/Z$/i, '').replace(/^\+/, '');
  return `${quoteText(sqlType === 'DATE' ? plain.slice(0, plain.search(/[T ]|$/)) : plain)}::${sqlType}`;
}
