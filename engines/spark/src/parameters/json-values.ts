import { FrameholdError } from '../../../../server/src/model/errors.ts';
import type { ParameterValue } from '../allowlist/parameter-values.ts';

/** The most digits that a DECIMAL of Spark has. */
const digitsMax = 38;

/**
 * A value out of JSON: a bigint was written as a whole number, a number with a fraction or an exponent. Texts stay texts: Spark casts them if a date or a decimal
 * is wanted, or the statement does, and so those can be written exactly. sql_invalid for what has no one type.
 */
export function jsonValue(value: unknown, name: string): ParameterValue {
  if (value === null || value === undefined) return { type: 'null' };
  switch (typeof value) {
    case 'boolean':
      return { type: 'boolean', value };
    case 'string':
      return { type: 'string', value };
    case 'number':
      return { type: 'double', value };
    case 'bigint':
      return wholeNumber(value, name);
    default:
      throw new FrameholdError('sql_invalid', `The value of the parameter ${name} is a list or an object.`, {
        hint: 'Give single values, or put the list into a frame and join it.',
      });
  }
}

function wholeNumber(value: bigint, name: string): ParameterValue {
  if (value === BigInt.asIntN(32, value)) return { type: 'int', value };
  if (value === BigInt.asIntN(64, value)) return { type: 'bigint', value };
  const digits = `${value < 0n ? -value : value}`.length;
  if (digits <= digitsMax) return { type: 'decimal', unscaled: value, precision: digits, scale: 0 };
  throw new FrameholdError(
    'sql_invalid',
    `The value of the parameter ${name} has more than ${digitsMax} digits.`,
    {
      hint: 'Send it as a string.',
    },
  );
}
