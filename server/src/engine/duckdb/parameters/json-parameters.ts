import {
  BIGINT,
  BOOLEAN,
  DOUBLE,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
  HUGEINT,
  INTEGER,
  LIST,
  listValue,
  SQLNULL,
  STRUCT,
  structValue,
  VARCHAR,
} from '@duckdb/node-api';
import { FrameholdError } from '../../../model/errors.ts';
import type { TypedValue } from './typed-value.ts';

/** Deeper than any list or struct that somebody writes; the engine's own types nest as deep as memory allows. */
const depthMax = 64;

/**
 * A value out of JSON: a bigint was written as a whole number, a number with a fraction or an exponent. Texts stay texts: the engine casts them where a number, a date or a decimal is wanted, and so integers beyond 2^53,
 * decimals and times can be written exactly. sql_invalid for what has no one type.
 */
export function jsonParameter(value: unknown, name: string): TypedValue {
  const type = transcoded(typeOf(value, name, 0));
  return { type, value: valueAs(value, type, name) };
}

function typeOf(value: unknown, name: string, depth: number): DuckDBType {
  if (depth > depthMax) throw refusal(name, `is nested deeper than ${depthMax} levels`);
  if (value === null || value === undefined) return SQLNULL;
  switch (typeof value) {
    case 'boolean':
      return BOOLEAN;
    case 'string':
      return VARCHAR;
    case 'bigint':
      return integerType(value, name);
    case 'number':
      return DOUBLE;
    case 'object': {
      if (Array.isArray(value)) {
        let element: DuckDBType = SQLNULL;
        for (const item of value) element = common(element, typeOf(item, name, depth + 1), name);
        return LIST(element);
      }
      const entries = Object.entries(value).map(([key, item]) => [key, typeOf(item, name, depth + 1)]);
      if (entries.length === 0)
        throw refusal(name, 'is an object without members, for which there is no type');
      return STRUCT(Object.fromEntries(entries));
    }
    default:
      throw refusal(name, 'is nothing that JSON can hold');
  }
}

function integerType(value: bigint, name: string): DuckDBType {
  if (value === BigInt.asIntN(32, value)) return INTEGER;
  if (value === BigInt.asIntN(64, value)) return BIGINT;
  if (value === BigInt.asIntN(128, value)) return HUGEINT;
  throw refusal(name, 'is an integer of more than 128 bits', 'Send it as a string.');
}

/** The type that can hold both. */
function common(one: DuckDBType, other: DuckDBType, name: string): DuckDBType {
  if (one.typeId === DuckDBTypeId.SQLNULL) return other;
  if (other.typeId === DuckDBTypeId.SQLNULL) return one;
  const ranks: readonly DuckDBTypeId[] = [
    DuckDBTypeId.INTEGER,
    DuckDBTypeId.BIGINT,
    DuckDBTypeId.HUGEINT,
    DuckDBTypeId.DOUBLE,
  ];
  const [rank, otherRank] = [ranks.indexOf(one.typeId), ranks.indexOf(other.typeId)];
  if (rank !== -1 && otherRank !== -1) return rank > otherRank ? one : other;
  if (one.typeId === DuckDBTypeId.LIST && other.typeId === DuckDBTypeId.LIST)
    return LIST(common(one.valueType, other.valueType, name));
  if (one.typeId === DuckDBTypeId.STRUCT && other.typeId === DuckDBTypeId.STRUCT) {
    const others = new Map(other.entryNames.map((key, index) => [key, other.entryTypes[index] ?? SQLNULL]));
    if (others.size === one.entryNames.length && one.entryNames.every((key) => others.has(key)))
      return STRUCT(
        Object.fromEntries(
          one.entryNames.map((key, index) => [
            key,
            common(one.entryTypes[index] ?? SQLNULL, others.get(key) ?? SQLNULL, name),
          ]),
        ),
      );
  }
  if (one.typeId === other.typeId && one.typeId !== DuckDBTypeId.STRUCT) return one;
  throw refusal(name, 'is a list of values of different types');
}

/** If only nulls have been seen any type will do, and the engine wants one. */
function transcoded(type: DuckDBType): DuckDBType {
  if (type.typeId === DuckDBTypeId.LIST)
    return LIST(type.valueType.typeId === DuckDBTypeId.SQLNULL ? INTEGER : transcoded(type.valueType));
  if (type.typeId === DuckDBTypeId.STRUCT)
    return STRUCT(
      Object.fromEntries(
        type.entryNames.map((key, index) => {
          const entry = type.entryTypes[index] ?? SQLNULL;
          return [key, entry.typeId === DuckDBTypeId.SQLNULL ? INTEGER : transcoded(entry)];
        }),
      ),
    );
  return type;
}

function valueAs(value: unknown, type: DuckDBType, name: string): DuckDBValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') {
    if (type.typeId === DuckDBTypeId.BIGINT || type.typeId === DuckDBTypeId.HUGEINT) return value;
    if (BigInt(Number(value)) === value) return Number(value);
    throw refusal(
      name,
      'has integers beyond 2^53 beside fractions, and no type holds both exactly',
      'Send them as strings.',
    );
  }
  if (type.typeId === DuckDBTypeId.LIST)
    return listValue((value as unknown[]).map((item) => valueAs(item, type.valueType, name)));
  if (type.typeId === DuckDBTypeId.STRUCT) {
    const members = value as Readonly<Record<string, unknown>>;
    return structValue(
      Object.fromEntries(
        type.entryNames.map((key, index) => [
          key,
          valueAs(members[key], type.entryTypes[index] ?? SQLNULL, name),
        ]),
      ),
    );
  }
  return value as string | number | boolean;
}

function refusal(name: string, reason: string, hint?: string): FrameholdError {
  return new FrameholdError(
    'sql_invalid',
    `The value of the parameter ${name} ${reason}.`,
    hint === undefined ? {} : { hint },
  );
}
