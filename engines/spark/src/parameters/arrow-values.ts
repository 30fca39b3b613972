import type { ArrayData } from '../../../../server/src/arrow/arrays/array-data.ts';
import { isValid } from '../../../../server/src/arrow/arrays/layout.ts';
import type { ArrowType, Field, TimeUnit } from '../../../../server/src/arrow/field.ts';
import { float, integer, textBytes } from '../../../../server/src/arrow/parameters/arrow-scalars.ts';
import { nestedTypeText } from '../../../../server/src/arrow/schema/type-text.ts';
import { utf8Text } from '../../../../server/src/arrow/text.ts';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { isNested, plainForm, typeNames } from '../../../../server/src/model/types/type-table.ts';
import type { ParameterValue } from '../allowlist/parameter-values.ts';

/** One value of a checked array with its type in Spark, exactly. sql_invalid if Spark has no such type or cannot hold the value. */
export function arrowValue(array: ArrayData, row: number, name: string): ParameterValue {
  const { dictionary } = array.field;
  if (dictionary !== null && isValid(array.validity, row)) {
    const index = Number(integer(array, 0, dictionary.index.bits, dictionary.index.signed, row));
    return arrowValue(array.dictionary as ArrayData, index, name);
  }
  const nullType = sparkType(array.field);
  if (nullType === null)
    throw refusal(name, `has the type ${nestedTypeText(array.field)}, which cannot be given to Spark`);
  if (array.field.type.kind === 'null') return { type: 'null' };
  if (!isValid(array.validity, row)) return { type: 'typed_null', of: nullType };
  return plainValue(array, row, name);
}

/** As a cast writes it. null if no value of the type can be given. */
function sparkType({ type }: Field): string | null {
  return isNested(type) ? null : typeNames(type).spark;
}

function plainValue(array: ArrayData, row: number, name: string): ParameterValue {
  const type = plainForm(array.field.type);
  const [bytes = new Uint8Array(0)] = array.buffers;
  switch (type.kind) {
    case 'bool':
      return { type: 'boolean', value: isValid(bytes, row) };
    case 'int':
      return intValue(type, integer(array, 0, type.bits, type.signed, row));
    case 'float':
      return { type: type.bits === 64 ? 'double' : 'float', value: float(bytes, type.bits, row) };
    case 'decimal': {
      const { precision, scale } = type;
      return { type: 'decimal', unscaled: integer(array, 0, type.bits, true, row), precision, scale };
    }
    case 'utf8':
      return { type: 'string', value: utf8Text(textBytes(array, row)) };
    case 'binary':
      return { type: 'binary', value: new Uint8Array(textBytes(array, row)) };
    case 'fixed-binary':
      return {
        type: 'binary',
        value: new Uint8Array(bytes.subarray(row * type.width, (row + 1) * type.width)),
      };
    case 'date': {
      const value = integer(array, 0, type.unit === 'day' ? 32 : 64, true, row);
      return { type: 'date', days: Number(type.unit === 'day' ? value : exactly(value, 86_400_000n, name)) };
    }
    case 'timestamp': {
      const micros = microseconds(integer(array, 0, 64, true, row), type.unit, name);
      return { type: type.zone === null ? 'timestamp_ntz' : 'timestamp', micros };
    }
    default:
      throw refusal(name, `has the type ${nestedTypeText(array.field)}, which cannot be given to Spark`);
  }
}

function intValue(type: ArrowType & { readonly kind: 'int' }, value: bigint): ParameterValue {
  if (type.signed)
    return { type: ({ 8: 'tinyint', 16: 'smallint', 32: 'int', 64: 'bigint' } as const)[type.bits], value };
  if (type.bits === 64) return { type: 'decimal', unscaled: value, precision: 20, scale: 0 };
  return { type: ({ 8: 'smallint', 16: 'int', 32: 'bigint' } as const)[type.bits], value };
}

function microseconds(value: bigint, unit: TimeUnit, name: string): bigint {
  if (unit === 'ns') return exactly(value, 1000n, name);
  return value * { s: 1_000_000n, ms: 1000n, us: 1n }[unit];
}

function exactly(value: bigint, divisor: bigint, name: string): bigint {
  if (value % divisor === 0n) return value / divisor;
  throw refusal(name, 'holds a time that Spark cannot hold exactly');
}

function refusal(name: string, reason: string): FrameholdError {
  return new FrameholdError('sql_invalid', `The value of the parameter ${name} ${reason}.`, {
    hint: 'Send it as a string and cast it in the statement.',
  });
}
