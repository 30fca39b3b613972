import type { ArrowType, Metadata } from '../../arrow/field.ts';
import { FrameholdError } from '../../model/errors.ts';
import { shown } from '../bad-body.ts';

/** The SQL type names that an upload may ask for with `types=`, and what they are in Arrow. */
export const sqlTypes = {
  BOOLEAN: { kind: 'bool' },
  TINYINT: { kind: 'int', bits: 8, signed: true },
  SMALLINT: { kind: 'int', bits: 16, signed: true },
  INTEGER: { kind: 'int', bits: 32, signed: true },
  BIGINT: { kind: 'int', bits: 64, signed: true },
  UTINYINT: { kind: 'int', bits: 8, signed: false },
  USMALLINT: { kind: 'int', bits: 16, signed: false },
  UINTEGER: { kind: 'int', bits: 32, signed: false },
  UBIGINT: { kind: 'int', bits: 64, signed: false },
  FLOAT: { kind: 'float', bits: 32 },
  DOUBLE: { kind: 'float', bits: 64 },
  VARCHAR: { kind: 'utf8', large: false },
  DATE: { kind: 'date', unit: 'day' },
  TIME: { kind: 'time', bits: 64, unit: 'us' },
  TIMESTAMP_S: { kind: 'timestamp', unit: 's', zone: null },
  TIMESTAMP_MS: { kind: 'timestamp', unit: 'ms', zone: null },
  TIMESTAMP: { kind: 'timestamp', unit: 'us', zone: null },
  TIMESTAMP_NS: { kind: 'timestamp', unit: 'ns', zone: null },
  TIMESTAMPTZ: { kind: 'timestamp', unit: 'us', zone: 'UTC' },
  UUID: { kind: 'fixed-binary', width: 16 },
} as const satisfies Record<string, ArrowType>;

/** What marks sixteen bytes as a UUID. */
export const uuidMetadata: Metadata = [
  ['ARROW:extension:name', 'arrow.uuid'],
  ['ARROW:extension:metadata', ''],
];

const aliases: Readonly<Record<string, keyof typeof sqlTypes>> = {
  BOOL: 'BOOLEAN',
  INT: 'INTEGER',
  REAL: 'FLOAT',
  TEXT: 'VARCHAR',
  STRING: 'VARCHAR',
  'TIMESTAMP WITH TIME ZONE': 'TIMESTAMPTZ',
};

const decimalPattern = /^(?:DECIMAL|NUMERIC)\s*\(\s*([0-9]{1,2})\s*(?:,\s*([0-9]{1,2})\s*)?\)$/;
const precisionMax = 38;

function parseSqlType(text: string): ArrowType {
  const name = text.trim().toUpperCase().replace(/\s+/g, ' ');
  const known = Object.hasOwn(aliases, name) ? aliases[name] : name;
  if (known !== undefined && Object.hasOwn(sqlTypes, known)) return sqlTypes[known as keyof typeof sqlTypes];
  const decimal = decimalPattern.exec(name);
  if (decimal !== null) {
    const precision = Number(decimal[1]);
    const scale = Number(decimal[2] ?? 0);
    if (precision >= 1 && precision <= precisionMax && scale <= precision)
      return { kind: 'decimal', bits: 128, precision, scale };
  }
  throw new FrameholdError('bad_request', `${shown(text)} is not a type that an upload can ask for.`, {
    hint: `Use one of ${Object.keys(sqlTypes).join(', ')} or DECIMAL(p,s) with p up to ${precisionMax}.`,
  });
}

export function sqlTypeName(type: ArrowType): string {
  if (type.kind === 'decimal') return `DECIMAL(${type.precision},${type.scale})`;
  const entry = Object.entries(sqlTypes).find(([, known]) => JSON.stringify(known) === JSON.stringify(type));
  return entry?.[0] ?? type.kind;
}

/** The types asked for, by column name. A name that is no column is bad_request. */
export function forcedTypes(
  types: Readonly<Record<string, string>> | undefined,
  columns: readonly string[],
): Map<string, ArrowType> {
  const forced = new Map<string, ArrowType>();
  const known = new Set(columns);
  for (const [name, text] of Object.entries(types ?? {})) {
    if (!known.has(name))
      throw new FrameholdError(
        'bad_request',
        `types= names ${shown(name)}, which is not a column of the upload.`,
        {
          hint: `The columns are ${columns.slice(0, 20).map(shown).join(', ')}${columns.length > 20 ? ', …' : ''}.`,
        },
      );
    forced.set(name, parseSqlType(text));
  }
  return forced;
}
