import type { ArrowType, Field, Schema } from '../../../../server/src/arrow/field.ts';
import { FrameholdError } from '../../../../server/src/model/errors.ts';
import { ConnectError } from './connect-error.ts';
import type { DataType, DataType_StructField as StructField } from './gen/spark/connect/types_pb.js';

/**
 * The Arrow schema of the rows that Spark sends for this type of a plan (AnalyzePlan), in a session whose time zone is `zone` and that has
 * `spark.sql.execution.arrow.useLargeVarTypes=false`. It is needed before the first row; `ArrowResult` compares it with what then comes. not_representable for types that have
 * no Arrow type of their own. Spark's metadata of columns is left out: it means something to Spark only.
 */
export function resultSchema(type: DataType, zone: string): Schema {
  if (type.kind.case !== 'struct')
    throw new ConnectError('protocol', 'The schema of a plan is not a struct.');
  const fields = type.kind.value.fields.map((field) => {
    const mapped = fieldOf(field.name, typeOf(field), field.nullable, zone);
    if (typeof mapped !== 'string') return mapped;
    throw new FrameholdError('not_representable', `The column ${JSON.stringify(field.name)} ${mapped}.`, {
      hint: 'Cast it in the statement, or leave it out.',
    });
  });
  return { fields, metadata: [] };
}

/** Or why it cannot be sent. */
function fieldOf(name: string, type: DataType, nullable: boolean, zone: string): Field | string {
  const field = (arrowType: ArrowType, children: readonly (Field | string)[] = []): Field | string => {
    const wrong = children.find((child) => typeof child === 'string');
    if (typeof wrong === 'string') return wrong;
    return {
      name,
      type: arrowType,
      nullable,
      children: children as readonly Field[],
      dictionary: null,
      metadata: [],
    };
  };
  switch (type.kind.case) {
    case 'null':
      return field({ kind: 'null' });
    case 'boolean':
      return field({ kind: 'bool' });
    case 'byte':
      return field({ kind: 'int', bits: 8, signed: true });
    case 'short':
      return field({ kind: 'int', bits: 16, signed: true });
    case 'integer':
      return field({ kind: 'int', bits: 32, signed: true });
    case 'long':
      return field({ kind: 'int', bits: 64, signed: true });
    case 'float':
      return field({ kind: 'float', bits: 32 });
    case 'double':
      return field({ kind: 'float', bits: 64 });
    case 'decimal': {
      const { precision = 10, scale = 0 } = type.kind.value;
      return field({ kind: 'decimal', bits: 128, precision, scale });
    }
    case 'string':
    case 'char':
    case 'varChar':
      return field({ kind: 'utf8', large: false });
    case 'binary':
      return field({ kind: 'binary', large: false });
    case 'date':
      return field({ kind: 'date', unit: 'day' });
    case 'timestamp':
      return field({ kind: 'timestamp', unit: 'us', zone });
    case 'timestampNtz':
      return field({ kind: 'timestamp', unit: 'us', zone: null });
    case 'time':
      return field({ kind: 'time', bits: 64, unit: 'ns' });
    case 'yearMonthInterval':
      return field({ kind: 'interval', unit: 'year-month' });
    case 'dayTimeInterval':
      return field({ kind: 'duration', unit: 'us' });
    case 'calendarInterval':
      return field({ kind: 'interval', unit: 'month-day-nano' });
    case 'array': {
      const { containsNull } = type.kind.value;
      return field({ kind: 'list', large: false }, [
        fieldOf('element', elementOf(type.kind.value.elementType), containsNull, zone),
      ]);
    }
    case 'struct': {
      const { fields } = type.kind.value;
      const twice = repeated(fields.map((inner) => inner.name));
      // Spark would rename them, and so change what the caller has written.
      if (twice !== null) return `contains a struct with two fields of the name ${JSON.stringify(twice)}`;
      return field(
        { kind: 'struct' },
        fields.map((inner) => fieldOf(inner.name, typeOf(inner), inner.nullable, zone)),
      );
    }
    case 'map': {
      const { keyType, valueType, valueContainsNull } = type.kind.value;
      const key = fieldOf('key', elementOf(keyType), false, zone);
      const value = fieldOf('value', elementOf(valueType), valueContainsNull, zone);
      if (typeof key === 'string') return key;
      if (typeof value === 'string') return value;
      const entries: Field = {
        name: 'entries',
        type: { kind: 'struct' },
        nullable: false,
        children: [key, value],
        dictionary: null,
        metadata: [],
      };
      return field({ kind: 'map', keysSorted: false }, [entries]);
    }
    default:
      return `has the type ${sparkName(type.kind.case)}, for which Arrow has none`;
  }
}

function sparkName(kind: string | undefined): string {
  return kind === undefined ? 'of an unknown kind' : kind.toUpperCase();
}

function typeOf({ dataType }: StructField): DataType {
  return elementOf(dataType);
}

function elementOf(type: DataType | undefined): DataType {
  if (type === undefined) throw new ConnectError('protocol', 'A part of the schema of a plan has no type.');
  return type;
}

function repeated(names: readonly string[]): string | null {
  return names.find((name, index) => names.indexOf(name) !== index) ?? null;
}
