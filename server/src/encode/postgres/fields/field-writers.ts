import type { ArrayData } from '../../../arrow/arrays/array-data.ts';
import type { IntType } from '../../../arrow/field.ts';
import { postgresTypeMark, withPostgresType } from '../../../arrow/schema/postgres-marks.ts';
import { systemType } from '../../../model/postgres/types.ts';
import { isUuid, postgresType } from '../../../model/types/column-names.ts';
import { postgres } from '../../../model/types/postgres-types.ts';
import { isBinary, isList, isText } from '../../../model/types/type-table.ts';
import { type CellStyle, csvStyle, jsonStyle } from '../../cells/cell-style.ts';
import { cellWriter } from '../../cells/cell-writers.ts';
import { ZoneOffsets } from '../zone-offsets.ts';
import { ArrayBinary, ArrayText } from './array-fields.ts';
import { ByteaText, RawField } from './bytes-fields.ts';
import { DateBinary, DateText } from './date-fields.ts';
import { type FieldWriter, NullField, SameTextField } from './field-writer.ts';
import { FloatText } from './float-fields.ts';
import { IntervalBinary, IntervalText } from './interval-fields.ts';
import { BoolBinary, BoolText, HalfBinary, IntBinary, Word32Binary, Word64Binary } from './number-fields.ts';
import { DecimalText, NumericBinary } from './numeric-fields.ts';
import { DictionaryField, RunField } from './stored-fields.ts';
import { TimeBinary, TimeText } from './time-fields.ts';
import { TimestampBinary, TimestampText } from './timestamp-fields.ts';

/** PostgreSQL's numbers for its formats. */
export type FieldFormat = 0 | 1;

/** What the writers of an answer share. */
export class FieldStyle {
  readonly zone: ZoneOffsets;
  /** Texts that are written as in CSV before it quotes them. */
  readonly plain: CellStyle = csvStyle();
  /** Structs, maps and unions. NaN and the infinities are strings, as PostgreSQL's to_json writes them. */
  readonly json: CellStyle = jsonStyle('exact', false, 'string');

  constructor(timeZone: string) {
    this.zone = new ZoneOffsets(timeZone);
  }
}

/** The writer of a column of a batch. Its bytes are of the type that `postgresType` gives for the field. */
export function fieldWriter(data: ArrayData, format: FieldFormat, style: FieldStyle): FieldWriter {
  const { type, dictionary } = data.field;
  if (dictionary !== null)
    return new DictionaryField(data, fieldWriter(data.dictionary as ArrayData, format, style));
  if (type.kind === 'run-end')
    return new RunField(data, fieldWriter(data.children[1] as ArrayData, format, style));
  if (isText(type)) return new RawField(data);
  if (isList(type)) return listWriter(data, format, style);
  return format === 0 ? textWriter(data, style) : binaryWriter(data, style);
}

function textWriter(data: ArrayData, style: FieldStyle): FieldWriter {
  const { type } = data.field;
  switch (type.kind) {
    case 'null':
      return new NullField(data);
    case 'bool':
      return new BoolText(data);
    case 'int':
      return new SameTextField(data, cellWriter(data, style.plain));
    case 'float':
      return new FloatText(type.bits, data);
    case 'decimal':
      return new DecimalText(type.scale, data, cellWriter(data, style.plain));
    case 'date':
      return new DateText(type.unit, data);
    case 'time':
      return new TimeText(type, data);
    case 'timestamp':
      return new TimestampText(type, style.zone, data);
    case 'duration':
    case 'interval':
      return new IntervalText(type, data);
    default:
      if (isUuid(data.field)) return new SameTextField(data, cellWriter(data, style.plain));
      return isBinary(type) ? new ByteaText(data) : jsonWriter(data, style);
  }
}

function binaryWriter(data: ArrayData, style: FieldStyle): FieldWriter {
  const { type } = data.field;
  switch (type.kind) {
    case 'null':
      return new NullField(data);
    case 'bool':
      return new BoolBinary(data);
    case 'int':
      return intBinary(type, data);
    case 'float':
      if (type.bits === 16) return new HalfBinary(data);
      return type.bits === 32 ? new Word32Binary(data) : new Word64Binary(data);
    case 'decimal':
      return new NumericBinary(type, true, data);
    case 'date':
      return new DateBinary(type.unit, data);
    case 'time':
      return new TimeBinary(type, data);
    case 'timestamp':
      return new TimestampBinary(type, data);
    case 'duration':
    case 'interval':
      return new IntervalBinary(type, data);
    default:
      return isBinary(type) ? new RawField(data) : jsonWriter(data, style);
  }
}

function intBinary(type: IntType, data: ArrayData): FieldWriter {
  const { bits, signed } = type;
  // OIDs are unsigned, and have no wider type to be sent in.
  if (postgresTypeMark(data.field) !== null && bits === 32) return new Word32Binary(data);
  if (bits === 64)
    return signed ? new Word64Binary(data) : new NumericBinary({ bits, scale: 0 }, false, data);
  return bits === 32 && signed ? new Word32Binary(data) : new IntBinary(type, data);
}

/** An array if PostgreSQL has one of the elements, else JSON. */
function listWriter(data: ArrayData, format: FieldFormat, style: FieldStyle): FieldWriter {
  const [child] = data.children as [ArrayData];
  if (postgresType(data.field).oid === postgres.json.oid) return jsonWriter(data, style);
  const mark = postgresTypeMark(data.field);
  const element = mark === null ? null : elementOf(mark);
  const elements = fieldWriter(element === null ? child : marked(child, element), format, style);
  if (format === 0)
    return new ArrayText(data, elements, mark?.endsWith('vector') === true ? 'vector' : 'array');
  const type = (element === null ? null : systemType(element)) ?? postgresType(child.field);
  return new ArrayBinary(data, elements, type.oid);
}

/** Of an array that the engine has marked. */
function elementOf(mark: string): string | null {
  if (mark === 'int2vector') return 'int2';
  if (mark === 'oidvector') return 'oid';
  return mark.startsWith('_') ? mark.slice(1) : null;
}

function marked(data: ArrayData, type: string): ArrayData {
  return { ...data, field: withPostgresType(data.field, type) };
}

/** The same bytes in both formats. */
function jsonWriter(data: ArrayData, style: FieldStyle): FieldWriter {
  return new SameTextField(data, cellWriter(data, style.json));
}
