import type { ArrowType, Field } from '../arrow/field.ts';
import { schemaOf } from '../arrow/schema/schema-record.ts';
import { FrameholdError } from '../model/errors.ts';
import { isUuid } from '../model/types/column-names.ts';
import { plainForm } from '../model/types/type-table.ts';
import type { SchemaRecord } from '../model/version.ts';
import { shown } from './bad-body.ts';
import type { CellParser } from './cells/cell-parser.ts';
import { cellParser } from './cells/cell-parser.ts';
import { isoMoment, type Notation, plainNotation, plainNumber } from './cells/notation.ts';
import { fitsDouble, numberCharactersMax } from './cells/number-digits.ts';
import { sqlTypeName, sqlTypes } from './cells/sql-type.ts';
import { matchFields } from './convert/match-fields.ts';
import { columnsDiffer } from './convert/plan-conversion.ts';

const wholeNumber = /^[+-]?[0-9]+$/;
/** Digits that doubles and floats always hold. */
const doubleDigits = 15;
const precisionMax = 38;

/** How the columns of a text are read that is appended to a frame. */
export class FrameColumns {
  /** By position; null if the type is found in the texts. */
  readonly types: readonly (ArrowType | null)[];

  private constructor(types: readonly (ArrowType | null)[]) {
    this.types = types;
  }

  /** schema_conflict if these are not the frame's columns. Without a frame every type is found. */
  static of(frame: SchemaRecord | undefined, names: readonly string[]): FrameColumns {
    if (frame === undefined) return new FrameColumns(names.map(() => null));
    const schema = schemaOf(frame.message);
    const { fields } = schema;
    const added = names.map(namedField);
    const match = matchFields(fields, added);
    if ('difference' in match) throw columnsDiffer(match.difference, schema, added);
    const types: (ArrowType | null)[] = names.map(() => null);
    for (const [index, place] of match.places.entries()) types[place] = textType(fields[index] as Field);
    return new FrameColumns(types);
  }
}

/** For a column that is read with the frame's type: exactly, where `types=` would let a number be rounded. */
export function frameParser(type: ArrowType, notation: Notation = plainNotation): CellParser {
  const parse = plainFrameParser(type);
  if (type.kind === 'int' || type.kind === 'float' || type.kind === 'decimal')
    return (text) => {
      const number = text.length > numberCharactersMax ? undefined : plainNumber(text, notation);
      return number === undefined ? undefined : parse(number);
    };
  if (type.kind === 'date' || type.kind === 'timestamp')
    return (text) => parse(isoMoment(text, notation.dates));
  return parse;
}

function plainFrameParser(type: ArrowType): CellParser {
  const parse = cellParser(type);
  switch (type.kind) {
    case 'int':
      // What pandas writes for whole numbers in a column that has a missing one.
      return (text) => parse(text) ?? parse(text.replace(/\.0+$/, ''));
    case 'float':
      return (text) => (isExact(text, type.bits) ? parse(text) : undefined);
    case 'timestamp':
      return type.zone === null ? (text) => parse(text.length === 10 ? `${text}T00:00:00` : text) : parse;
    case 'date':
      return (text) => parse(text.slice(0, 40).replace(/[T ]00:00:00(?:\.0{1,9})?$/, ''));
    default:
      return parse;
  }
}

/** Names of the columns whose types a text takes from the frame: nobody need look for them. */
export function textColumns(frame: SchemaRecord | undefined): string[] {
  const fields = frame === undefined ? [] : schemaOf(frame.message).fields;
  return fields.filter((field) => textType(field) !== null).map(({ name }) => name);
}

export function valueRefused(name: string, type: ArrowType, line: number, text: string): FrameholdError {
  return new FrameholdError(
    'schema_conflict',
    `Line ${line}, column ${shown(name)}: ${shown(text)} does not fit the frame's ${sqlTypeName(type)}.`,
    { hint: 'Nothing was appended. Send values that fit the type exactly, or replace the frame.' },
  );
}

/** Fractions are read as the nearest number there is, as everywhere; digits that were written must not be lost. */
function isExact(text: string, bits: number): boolean {
  if (wholeNumber.test(text)) {
    if (bits === 64 && text.length <= doubleDigits) return true;
    const value = bits === 64 ? Number(text) : Math.fround(Number(text));
    return Number.isFinite(value) && BigInt(value) === BigInt(text.replace(/^\+/, ''));
  }
  return bits !== 64 || !/^[+-]?[0-9]/.test(text) || fitsDouble(text);
}

/** The type that a text can have which comes nearest to that of a field: converting does the rest. */
function textType(field: Field): ArrowType | null {
  const type = plainForm(field.type);
  switch (type.kind) {
    case 'bool':
    case 'int':
      return type;
    case 'float':
      return type.bits === 16 ? null : type;
    case 'decimal': {
      const precision = Math.min(type.precision, precisionMax);
      if (type.scale < 0 || type.scale > precision) return null;
      return { kind: 'decimal', bits: 128, precision, scale: type.scale };
    }
    case 'utf8':
    case 'null':
      return sqlTypes.VARCHAR;
    case 'date':
      return sqlTypes.DATE;
    case 'time':
      return sqlTypes.TIME;
    case 'timestamp':
      return { ...type, zone: type.zone === null ? null : 'UTC' };
    case 'fixed-binary':
      return isUuid(field) ? sqlTypes.UUID : null;
    default:
      return null;
  }
}

function namedField(name: string): Field {
  return { name, nullable: true, type: sqlTypes.VARCHAR, children: [], dictionary: null, metadata: [] };
}
