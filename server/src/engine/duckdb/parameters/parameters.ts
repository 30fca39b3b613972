import { type DuckDBPreparedStatement, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { Field, Schema } from '../../../arrow/field.ts';
import { withoutMarks } from '../../../arrow/schema/wide-integers.ts';
import { FrameholdError } from '../../../model/errors.ts';
import type { StatementParameters } from '../../../ports/engine.ts';
import { lowerCase } from '../sql-tokens.ts';
import { arrowSchemaOf } from '../types/arrow-types.ts';
import { arrowParameterRows } from './arrow-parameters.ts';
import { jsonParameter } from './json-parameters.ts';
import type { TypedValue } from './typed-value.ts';

/**
 * Names ($1, $2 … or those of named parameters) and types; null type if neither the engine nor a cast in the statement (`casts`, by
 * lower-case names) tells.
 */
export function parameterSchemaOf(
  statement: DuckDBPreparedStatement,
  casts: ReadonlyMap<string, DuckDBType> = new Map(),
): Schema {
  const fields = parameterNames(statement).map((name, index) =>
    parameterField(statement, index + 1, name, casts),
  );
  return { fields, metadata: [] };
}

/** Binds the values of one run, to the statement itself or to another with the same parameters. */
export type BindValues = (target?: DuckDBPreparedStatement) => void;

/**
 * For each run of the statement what binds its values. One run if there are no parameters or they are JSON, one for each row of an Arrow
 * stream. sql_invalid if values are missing, too many, or of a type that cannot be bound; bad_body for malformed Arrow.
 */
export function* parameterRows(
  parameters: StatementParameters | null,
  statement: DuckDBPreparedStatement,
): Generator<BindValues, void, void> {
  const names = parameterNames(statement);
  if (parameters === null) {
    requireCount(names, 0);
    yield () => {};
  } else if (parameters.kind === 'json') {
    const values = jsonValues(names, parameters.values).map((value, index) =>
      jsonParameter(value, displayName(names, index)),
    );
    yield (target = statement) => bind(target, values);
  } else {
    for (const values of arrowParameterRows(parameters.stream, (columns) => columnOrder(names, columns)))
      yield (target = statement) => bind(target, values);
  }
}

/** As the engine has them: numbers for those that have no name. */
function parameterNames(statement: DuckDBPreparedStatement): string[] {
  try {
    return Array.from({ length: statement.parameterCount }, (_, index) => statement.parameterName(index + 1));
  } catch (cause) {
    // `select $7` alone: the engine counts one, and has no first.
    throw new FrameholdError('sql_invalid', 'The parameters of the statement are not numbered from 1 on.', {
      hint: 'Write them as $1, $2 and so on, or as $name.',
      cause,
    });
  }
}

function isNumber(name: string): boolean {
  return /^[0-9]+$/.test(name);
}

function displayName(names: readonly string[], index: number): string {
  return `$${names[index] ?? index + 1}`;
}

function parameterField(
  statement: DuckDBPreparedStatement,
  number: number,
  name: string,
  casts: ReadonlyMap<string, DuckDBType>,
): Field {
  const shown = isNumber(name) ? `$${name}` : name;
  const unknown: Field = {
    name: shown,
    type: { kind: 'null' },
    nullable: true,
    children: [],
    dictionary: null,
    metadata: [],
  };
  const { INVALID, ANY, SQLNULL, VARIANT } = DuckDBTypeId;
  const isKnown = (id: DuckDBTypeId) => ![INVALID, ANY, SQLNULL, VARIANT].includes(id);
  const type = isKnown(statement.parameterTypeId(number))
    ? statement.parameterType(number)
    : casts.get(lowerCase(name));
  if (type === undefined || !isKnown(type.typeId)) return unknown;
  const [field] = withoutMarks(arrowSchemaOf([shown], [type])).fields;
  return field ?? unknown;
}

function requireCount(names: readonly string[], given: number): void {
  if (given === names.length) return;
  throw new FrameholdError(
    'sql_invalid',
    `The statement has ${names.length} parameters, and ${given} values were given.`,
    { hint: 'Give one value for each: a list for $1, $2 …, or an object for $name.' },
  );
}

function jsonValues(
  names: readonly string[],
  values: readonly unknown[] | Readonly<Record<string, unknown>>,
): readonly unknown[] {
  if (isList(values)) {
    requireCount(names, values.length);
    return values;
  }
  const given = new Map(Object.entries(values).map(([name, value]) => [bareName(name), value]));
  const wanted = names.map(bareName);
  const missing = names.filter((name) => !given.has(bareName(name)));
  if (missing.length > 0)
    throw new FrameholdError('sql_invalid', `No value was given for the parameter $${missing[0]}.`, {
      hint: `The statement has the parameters ${shownNames(names)}.`,
    });
  const isWanted = new Set(wanted);
  const unknown = [...given.keys()].find((name) => !isWanted.has(name));
  if (unknown !== undefined)
    throw new FrameholdError('sql_invalid', `The statement has no parameter $${unknown}.`, {
      hint: names.length === 0 ? 'It has none.' : `It has ${shownNames(names)}.`,
    });
  return wanted.map((name) => given.get(name));
}

/** People read it: ten are enough to see what is meant. */
const shownNamesMax = 10;

function shownNames(names: readonly string[]): string {
  const shown = names.slice(0, shownNamesMax).map((name) => `$${bareName(name)}`);
  return names.length > shownNamesMax ? `${shown.join(', ')} …` : shown.join(', ');
}

function isList(
  values: readonly unknown[] | Readonly<Record<string, unknown>>,
): values is readonly unknown[] {
  return Array.isArray(values);
}

/** Names of parameters are the same in any case, and callers write them with or without their mark. */
function bareName(name: string): string {
  return name.replace(/^\$/, '').toLowerCase();
}

/**
 * Which column each parameter takes. By name if all are named and the columns have just these names; else by place, as
 * clients number their columns as they like.
 */
function columnOrder(names: readonly string[], columns: readonly string[]): readonly number[] {
  requireCount(names, columns.length);
  const places = new Map<string, number>();
  for (const [index, column] of columns.entries())
    if (!places.has(bareName(column))) places.set(bareName(column), index);
  const named = names.every((name) => !isNumber(name) && places.has(bareName(name)));
  return names.map((name, index) => (named ? (places.get(bareName(name)) as number) : index));
}

function bind(statement: DuckDBPreparedStatement, values: readonly TypedValue[]): void {
  for (const [index, { type, value }] of values.entries()) {
    if (value === null) statement.bindNull(index + 1);
    else statement.bindValue(index + 1, value, type);
  }
}
