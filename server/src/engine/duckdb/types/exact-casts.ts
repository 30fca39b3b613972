import { type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type { Field } from '../../../arrow/field.ts';
import { isUuid } from '../../../model/types/column-names.ts';
import { isList, isNested } from '../../../model/types/type-table.ts';
import { inexactMarker } from '../duckdb-errors.ts';
import { quoteName, quoteText } from '../sql-tokens.ts';
import { castTypeOf } from './cast-types.ts';

/**
 * The engine's own casts round, truncate and drop parts of values without a word: 1.7 becomes 2, a timestamp a date. These expressions find
 * such values, so that an INSERT fails instead.
 */

/** Of a value that is shown in an error. */
const shownCharactersMax = 100;

/** `value` as the column's type, or an error that names the column and the value. `source` null: its type is not known. */
export function exactCast(field: Field, name: string, source: DuckDBType | null, value: string): string {
  const type = castTypeOf(field) as string;
  const condition = isKept(field, type, source, value);
  const cast = `CAST(${value} AS ${type})`;
  return condition === null
    ? cast
    : `CASE WHEN ${condition} THEN ${cast} ELSE ${failure(name, type, value)} END`;
}

/** Fails if the text of a value says that the column's type would change it; null if no text does. */
export function exactText(field: Field, name: string, value: string): string | null {
  const type = castTypeOf(field) as string;
  const condition = isTextCached(field, value);
  return condition && `CASE WHEN ${condition} THEN true ELSE ${failure(name, type, value)} END`;
}

/** The column's type with texts in place of what a cast could change; its own if that is nothing. */
export function textTypeOf(field: Field): string {
  const [child] = field.children;
  if (field.dictionary !== null || isUuid(field)) return castTypeOf(field) as string;
  if (isList(field.type)) return `${textTypeOf(child as Field)}[]`;
  switch (field.type.kind) {
    case 'struct':
      return `STRUCT(${field.children.map((each) => `${quoteName(each.name)} ${textTypeOf(each)}`).join(', ')})`;
    case 'map':
      return `MAP(${(child as Field).children.map(textTypeOf).join(', ')})`;
    default:
      return textRule(field, 'NULL') === null ? (castTypeOf(field) as string) : 'VARCHAR';
  }
}

function failure(name: string, type: string, value: string): string {
  const shown = `coalesce(left(CAST(${value} AS VARCHAR), ${shownCharactersMax}), 'NULL')`;
  const column = quoteText(`${inexactMarker}Column ${JSON.stringify(name)} is ${type}, which cannot hold `);
  return `error(${column} || ${shown} || ' exactly.')`;
}

const { TINYINT, SMALLINT, INTEGER, BIGINT, HUGEINT, UTINYINT, USMALLINT, UINTEGER, UBIGINT, UHUGEINT } =
  DuckDBTypeId;
const integers = new Set([
  TINYINT,
  SMALLINT,
  INTEGER,
  BIGINT,
  HUGEINT,
  UTINYINT,
  USMALLINT,
  UINTEGER,
  UBIGINT,
  UHUGEINT,
]);
const fractions = new Set([DuckDBTypeId.FLOAT, DuckDBTypeId.DOUBLE, DuckDBTypeId.DECIMAL]);
const moments = new Set([
  DuckDBTypeId.DATE,
  DuckDBTypeId.TIMESTAMP,
  DuckDBTypeId.TIMESTAMP_S,
  DuckDBTypeId.TIMESTAMP_MS,
  DuckDBTypeId.TIMESTAMP_NS,
  DuckDBTypeId.TIMESTAMP_TZ,
]);
const times = new Set([DuckDBTypeId.TIME, DuckDBTypeId.TIME_NS, DuckDBTypeId.TIME_TZ]);

/** A condition that is false for values that the cast would change; null if it changes none. */
function isKept(field: Field, type: string, source: DuckDBType | null, value: string): string | null {
  if (source === null || isNested(field.type)) {
    const text = `CAST(${value} AS ${textTypeOf(field)})`;
    return String(source) === type ? null : isTextCached(field, text);
  }
  const { typeId } = source;
  if (String(source) === type || typeId === DuckDBTypeId.SQLNULL) return null;
  if (typeId === DuckDBTypeId.VARCHAR) return isTextCached(field, value);
  if (field.dictionary !== null) return null;
  const there = `CAST(${value} AS ${type})`;
  const andBack = `(TRY_CAST(${there} AS ${source}) IS NOT DISTINCT FROM ${value})`;
  switch (field.type.kind) {
    case 'int':
    case 'decimal':
      return fractions.has(typeId) ? andBack : null;
    case 'bool':
      return fractions.has(typeId) || integers.has(typeId) ? andBack : null;
    case 'float':
      // Of a number with a fraction the nearest is taken, as everywhere.
      return integers.has(typeId) ? andBack : null;
    case 'date':
    case 'timestamp':
      return moments.has(typeId) ? andBack : null;
    case 'time':
      if (moments.has(typeId)) return `${value} IS NULL`;
      return times.has(typeId) ? andBack : null;
    default:
      return null;
  }
}

function isTextCached(field: Field, text: string): string | null {
  const rule = textRule(field, text, 0);
  return rule && `coalesce(${rule}, true)`;
}

/** The same of a text. Null, and so kept, if the text itself is. */
function textRule(field: Field, text: string, depth = 0): string | null {
  const { type } = field;
  const [child] = field.children;
  if (field.dictionary !== null || isUuid(field)) return null;
  if (isList(type)) return listRule(child as Field, text, depth);
  const cast = castTypeOf(field) as string;
  switch (type.kind) {
    case 'int':
      return numberRule(text, cast, 0, 18);
    case 'decimal':
      return numberRule(text, cast, type.scale, 38 - Math.min(type.precision, 38) + type.scale);
    case 'float': {
      const whole = `regexp_full_match(${text}, '\\s*[+-]?[0-9]+\\s*')`;
      return `(NOT ${whole} OR ${sameAs(text, cast, 'DECIMAL(38,0)')})`;
    }
    case 'bool':
      return `(${text} IS NULL OR TRY_CAST(${text} AS BOOLEAN) IS NOT NULL)`;
    case 'date':
      return sameAs(text, 'DATE', 'TIMESTAMP WITH TIME ZONE');
    case 'time':
      return `(${noFiner(text, type.unit === 'ns' ? 9 : 6)} AND TRY_CAST(${text} AS TIMESTAMP) IS NULL AND NOT regexp_matches(${text}, '[+-].*[1-9]'))`;
    case 'timestamp': {
      const digits = type.zone === null ? { s: 0, ms: 3, us: 6, ns: 9 }[type.unit] : 6;
      const offset = sameAs(text, 'TIMESTAMP', 'TIMESTAMP WITH TIME ZONE');
      return type.zone === null ? `(${noFiner(text, digits)} AND ${offset})` : noFiner(text, digits);
    }
    case 'map': {
      const [key, value] = (child as Field).children as [Field, Field];
      return both([listRule(key, `map_keys(${text})`, depth), listRule(value, `map_values(${text})`, depth)]);
    }
    case 'struct':
      return both(
        field.children.map((each) =>
          textRule(each, `struct_extract(${text}, ${quoteText(each.name)})`, depth),
        ),
      );
    default:
      return null;
  }
}

function listRule(element: Field, list: string, depth: number): string | null {
  const each = `each${depth}`;
  const rule = textRule(element, each, depth + 1);
  return rule && `(len(list_filter(${list}, lambda ${each}: NOT coalesce(${rule}, true))) = 0)`;
}

function both(rules: readonly (string | null)[]): string | null {
  const some = rules.filter((rule) => rule !== null);
  return some.length === 0 ? null : `(${some.map((rule) => `coalesce(${rule}, true)`).join(' AND ')})`;
}

/** With an exponent the digits alone do not say it: then numbers of more digits are compared. */
function numberRule(text: string, cast: string, scale: number, wideScale: number): string {
  const wide = `DECIMAL(38,${wideScale})`;
  return `(CASE WHEN regexp_matches(${text}, '^[^xX]*[eE]') THEN ${sameAs(text, cast, wide)} ELSE ${noFiner(text, scale)} END)`;
}

/** No digits but zeros behind so many digits of a fraction. */
function noFiner(text: string, digits: number): string {
  return `NOT regexp_matches(${text}, '\\.[0-9]{${digits}}[0-9]*[1-9]')`;
}

/** Whether a text means the same when it is first read as `narrow`: finds a time or an offset that is dropped, too. */
function sameAs(text: string, narrow: string, wide: string): string {
  return `(TRY_CAST(${text} AS ${wide}) IS NOT DISTINCT FROM TRY_CAST(TRY_CAST(${text} AS ${narrow}) AS ${wide}))`;
}
