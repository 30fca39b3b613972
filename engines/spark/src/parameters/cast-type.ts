import type { ArrowType } from '../../../../server/src/arrow/field.ts';

const integer = (bits: 8 | 16 | 32 | 64): ArrowType => ({ kind: 'int', bits, signed: true });

const types: Readonly<Record<string, ArrowType>> = {
  boolean: { kind: 'bool' },
  tinyint: integer(8),
  byte: integer(8),
  smallint: integer(16),
  short: integer(16),
  int: integer(32),
  integer: integer(32),
  bigint: integer(64),
  long: integer(64),
  float: { kind: 'float', bits: 32 },
  real: { kind: 'float', bits: 32 },
  double: { kind: 'float', bits: 64 },
  string: { kind: 'utf8', large: false },
  binary: { kind: 'binary', large: false },
  date: { kind: 'date', unit: 'day' },
  timestamp: { kind: 'timestamp', unit: 'us', zone: 'UTC' },
  timestamp_ntz: { kind: 'timestamp', unit: 'us', zone: null },
};

/**
 * As what a client should send a parameter that is cast, so that it arrives as it is: the type of the cast. Clients like JDBC bind only what has a
 * type. The null type if nothing is known: then each value has the type that the client gives it.
 */
export function castType(cast: string | null): ArrowType {
  const name = (cast ?? '').toLowerCase();
  return Object.hasOwn(types, name) ? (types[name] as ArrowType) : (decimalType(name) ?? { kind: 'null' });
}

function decimalType(name: string): ArrowType | null {
  const [, precision, scale] = /^(?:decimal|dec|numeric)\((\d{1,2}),(\d{1,2})\)$/.exec(name) ?? [];
  if (precision === undefined || scale === undefined) return null;
  return { kind: 'decimal', bits: 128, precision: Number(precision), scale: Number(scale) };
}
