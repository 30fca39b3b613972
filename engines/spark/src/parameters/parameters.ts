import { arrowRows } from '../../../../server/src/arrow/parameters/arrow-rows.ts';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import type { StatementParameters } from '../../../../server/src/ports/engine.ts';
import type { ParameterValue } from '../allowlist/parameter-values.ts';
import { arrowValue } from './arrow-values.ts';
import { jsonValue } from './json-values.ts';

/** What a statement has: `?` by place (names is null), or `:name`. */
export interface WantedParameters {
  readonly count: number;
  readonly names: readonly string[] | null;
}

/** They are decoded in the server's own thread: so much takes some milliseconds. Larger values belong into a frame. */
const streamBytesMax = 1024 * 1024;
const unpackedBytesMax = 8 * 1024 * 1024;

/**
 * The values of each run of a statement, in the order of its parameters. One run if there are none or they are JSON, one for each row of an Arrow
 * stream. sql_invalid if values are missing, too many, or cannot be given to Spark exactly; bad_body for malformed Arrow.
 */
export function* parameterRows(
  parameters: StatementParameters | null,
  wanted: WantedParameters,
): Generator<readonly ParameterValue[], void, void> {
  if (parameters === null) {
    requireCount(wanted, 0);
    yield [];
  } else if (parameters.kind === 'json') {
    yield jsonList(wanted, parameters.values).map((value, index) =>
      jsonValue(value, shownName(wanted, index)),
    );
  } else {
    const { stream } = parameters;
    if (stream.length > streamBytesMax)
      throw new FrameholdError('sql_invalid', `The parameters take more than ${streamBytesMax} bytes.`, {
        hint: 'Put large values into a frame and join it.',
      });
    for (const { columns, row } of arrowRows(stream, (names) => columnOrder(wanted, names), unpackedBytesMax))
      yield columns.map((array, index) => arrowValue(array, row, shownName(wanted, index)));
  }
}

function shownName({ names }: WantedParameters, index: number): string {
  const name = names?.[index];
  return name === undefined ? `number ${index + 1}` : `:${name}`;
}

function requireCount({ count }: WantedParameters, given: number): void {
  if (given === count) return;
  throw new FrameholdError(
    'sql_invalid',
    `The statement has ${count} parameters, and ${given} values were given.`,
    {
      hint: 'Give one value for each ? in their order, or an object with a member for each :name.',
    },
  );
}

function jsonList(
  wanted: WantedParameters,
  values: readonly unknown[] | Readonly<Record<string, unknown>>,
): readonly unknown[] {
  if (isList(values)) {
    requireCount(wanted, values.length);
    return values;
  }
  if (wanted.names === null)
    throw new FrameholdError('sql_invalid', 'The parameters of the statement have no names.', {
      hint: 'Give a list of values, or write the parameters as :name.',
    });
  const given = new Map(Object.entries(values).map(([name, value]) => [bareName(name), value]));
  const missing = wanted.names.find((name) => !given.has(name));
  if (missing !== undefined)
    throw new FrameholdError('sql_invalid', `No value was given for the parameter :${missing}.`);
  const unknown = [...given.keys()].find((name) => !wanted.names?.includes(name));
  if (unknown !== undefined)
    throw new FrameholdError('sql_invalid', `The statement has no parameter :${unknown}.`);
  return wanted.names.map((name) => given.get(name));
}

function isList(
  values: readonly unknown[] | Readonly<Record<string, unknown>>,
): values is readonly unknown[] {
  return Array.isArray(values);
}

/** Callers write names with or without their mark. */
function bareName(name: string): string {
  return name.startsWith(':') || name.startsWith('$') ? name.slice(1) : name;
}

/** By name if the columns have just these names; else by place, as clients number their columns as they like. */
function columnOrder(wanted: WantedParameters, columns: readonly string[]): readonly number[] {
  requireCount(wanted, columns.length);
  const bare = columns.map(bareName);
  const names = wanted.names ?? [];
  const isNamed = names.length > 0 && names.every((name) => bare.includes(name));
  return columns.map((_, index) => (isNamed ? bare.indexOf(names[index] as string) : index));
}
