import { type DuckDBEnumType, type DuckDBType, DuckDBTypeId } from '@duckdb/node-api';
import type {
  ArrowType,
  DictionaryEncoding,
  Field,
  IntType,
  Metadata,
  Schema,
} from '../../../arrow/field.ts';
import { fieldDepthMax, fieldsMax } from '../../../arrow/ipc/schema-parser.ts';
import { wideIntegerMark } from '../../../arrow/schema/wide-integers.ts';
import { FrameholdError } from '../../../model/errors.ts';

/**
 * The Arrow schema of rows with these columns: the types that DuckDB's own Arrow export gives, so that a result is the same table whichever
 * way it was taken. TIMESTAMP WITH TIME ZONE is labelled UTC. The intervals of `durations` are given as durations. sql_invalid for a type that
 * has none, with the advice to cast it.
 */
export function arrowSchemaOf(
  names: readonly string[],
  types: readonly DuckDBType[],
  durations: readonly boolean[] = [],
): Schema {
  const namer = new FieldNamer();
  return {
    fields: types.map((type, index) => namer.column(names[index] ?? '', type, durations[index] ?? false)),
    metadata: [],
  };
}

const utf8: ArrowType = { kind: 'utf8', large: false };
const binary: ArrowType = { kind: 'binary', large: false };
const duration: ArrowType = { kind: 'duration', unit: 'us' };

/** Types that have neither children nor a dictionary. */
const plainTypes: Readonly<Partial<Record<DuckDBTypeId, ArrowType>>> = {
  [DuckDBTypeId.BOOLEAN]: { kind: 'bool' },
  [DuckDBTypeId.TINYINT]: { kind: 'int', bits: 8, signed: true },
  [DuckDBTypeId.SMALLINT]: { kind: 'int', bits: 16, signed: true },
  [DuckDBTypeId.INTEGER]: { kind: 'int', bits: 32, signed: true },
  [DuckDBTypeId.BIGINT]: { kind: 'int', bits: 64, signed: true },
  [DuckDBTypeId.UTINYINT]: { kind: 'int', bits: 8, signed: false },
  [DuckDBTypeId.USMALLINT]: { kind: 'int', bits: 16, signed: false },
  [DuckDBTypeId.UINTEGER]: { kind: 'int', bits: 32, signed: false },
  [DuckDBTypeId.UBIGINT]: { kind: 'int', bits: 64, signed: false },
  [DuckDBTypeId.HUGEINT]: { kind: 'decimal', bits: 128, precision: 38, scale: 0 },
  [DuckDBTypeId.UHUGEINT]: { kind: 'decimal', bits: 128, precision: 38, scale: 0 },
  [DuckDBTypeId.FLOAT]: { kind: 'float', bits: 32 },
  [DuckDBTypeId.DOUBLE]: { kind: 'float', bits: 64 },
  [DuckDBTypeId.DATE]: { kind: 'date', unit: 'day' },
  [DuckDBTypeId.TIME]: { kind: 'time', bits: 64, unit: 'us' },
  [DuckDBTypeId.TIME_NS]: { kind: 'time', bits: 64, unit: 'ns' },
  [DuckDBTypeId.TIME_TZ]: { kind: 'time', bits: 64, unit: 'us' },
  [DuckDBTypeId.TIMESTAMP]: { kind: 'timestamp', unit: 'us', zone: null },
  [DuckDBTypeId.TIMESTAMP_S]: { kind: 'timestamp', unit: 's', zone: null },
  [DuckDBTypeId.TIMESTAMP_MS]: { kind: 'timestamp', unit: 'ms', zone: null },
  [DuckDBTypeId.TIMESTAMP_NS]: { kind: 'timestamp', unit: 'ns', zone: null },
  [DuckDBTypeId.INTERVAL]: { kind: 'interval', unit: 'month-day-nano' },
  [DuckDBTypeId.VARCHAR]: utf8,
  [DuckDBTypeId.UUID]: utf8,
  [DuckDBTypeId.BLOB]: binary,
  [DuckDBTypeId.BIT]: binary,
  [DuckDBTypeId.BIGNUM]: binary,
  [DuckDBTypeId.GEOMETRY]: binary,
  // What has no type of its own, NULL alone, is an INTEGER for the engine as soon as it is a column.
  [DuckDBTypeId.SQLNULL]: { kind: 'int', bits: 32, signed: true },
};

/** The numbers that the values of an ENUM are stored as. */
export function enumIndex(type: DuckDBEnumType): IntType {
  const bits =
    type.internalTypeId === DuckDBTypeId.UTINYINT
      ? 8
      : type.internalTypeId === DuckDBTypeId.USMALLINT
        ? 16
        : 32;
  return { kind: 'int', bits, signed: false };
}

class FieldNamer {
  #dictionaries = 0n;
  #column = '';
  #fields = 0;
  #isDuration = false;

  column(name: string, type: DuckDBType, isDuration: boolean): Field {
    this.#column = name;
    this.#isDuration = isDuration;
    return this.#field(name, type, true, 1);
  }

  #field(name: string, type: DuckDBType, nullable: boolean, depth: number): Field {
    this.#checkLimits(depth);
    const plain =
      this.#isDuration && type.typeId === DuckDBTypeId.INTERVAL ? duration : plainTypes[type.typeId];
    if (plain !== undefined) return field(name, plain, nullable, [], null, metadataOf(type));
    switch (type.typeId) {
      case DuckDBTypeId.TIMESTAMP_TZ:
        return field(name, { kind: 'timestamp', unit: 'us', zone: 'UTC' }, nullable);
      case DuckDBTypeId.DECIMAL:
        return field(
          name,
          { kind: 'decimal', bits: 128, precision: type.width, scale: type.scale },
          nullable,
        );
      case DuckDBTypeId.ENUM:
        return field(name, utf8, nullable, [], {
          id: this.#dictionaries++,
          index: enumIndex(type),
          ordered: false,
        });
      case DuckDBTypeId.LIST:
        return field(name, { kind: 'list', large: false }, nullable, [
          this.#field('l', type.valueType, true, depth + 1),
        ]);
      case DuckDBTypeId.ARRAY:
        return field(name, { kind: 'fixed-list', size: type.length }, nullable, [
          this.#field('', type.valueType, true, depth + 1),
        ]);
      case DuckDBTypeId.STRUCT:
        return field(
          name,
          { kind: 'struct' },
          nullable,
          type.entryTypes.map((entry, index) =>
            this.#field(type.entryNames[index] ?? '', entry, true, depth + 1),
          ),
        );
      case DuckDBTypeId.MAP:
        return field(name, { kind: 'map', keysSorted: false }, nullable, [
          field('entries', { kind: 'struct' }, false, [
            this.#field('key', type.keyType, false, depth + 2),
            this.#field('value', type.valueType, true, depth + 2),
          ]),
        ]);
      case DuckDBTypeId.UNION:
        return field(
          name,
          { kind: 'union', mode: 'sparse', typeIds: type.memberTypes.map((_, index) => index) },
          nullable,
          type.memberTypes.map((member, index) =>
            this.#field(type.memberTags[index] ?? '', member, true, depth + 1),
          ),
        );
      default:
        throw new FrameholdError(
          'sql_invalid',
          `Column ${JSON.stringify(this.#column)} has the type ${type}, which Arrow cannot hold.`,
          { hint: 'Cast it, for example to VARCHAR.' },
        );
    }
  }

  /** What is deeper or wider is read by nobody: neither here nor by clients. */
  #checkLimits(depth: number): void {
    if (depth > fieldDepthMax)
      throw new FrameholdError(
        'sql_invalid',
        `Column ${JSON.stringify(this.#column)} is nested more than ${fieldDepthMax} deep (a map counts twice).`,
        { hint: 'Take it apart in the statement, or cast it to VARCHAR or JSON.' },
      );
    this.#fields += 1;
    if (this.#fields > fieldsMax)
      throw new FrameholdError(
        'sql_invalid',
        `The result has more than ${fieldsMax} columns and members of columns.`,
        { hint: 'Choose fewer columns.' },
      );
  }
}

function field(
  name: string,
  type: ArrowType,
  nullable: boolean,
  children: readonly Field[] = [],
  dictionary: DictionaryEncoding | null = null,
  metadata: Metadata = [],
): Field {
  return { name, type, nullable, children, dictionary, metadata };
}

function metadataOf(type: DuckDBType): Metadata {
  if (type.typeId === DuckDBTypeId.GEOMETRY)
    return [
      ['ARROW:extension:name', 'geoarrow.wkb'],
      ['ARROW:extension:metadata', JSON.stringify(type.crs === undefined ? {} : { crs: type.crs })],
    ];
  if (type.typeId === DuckDBTypeId.HUGEINT) return wideIntegerMark('HUGEINT');
  if (type.typeId === DuckDBTypeId.UHUGEINT) return wideIntegerMark('UHUGEINT');
  if (type.typeId === DuckDBTypeId.BIGNUM)
    return [
      ['ARROW:extension:name', 'arrow.opaque'],
      ['ARROW:extension:metadata', '{"type_name":"bignum","vendor_name":"DuckDB"}'],
    ];
  return [];
}
