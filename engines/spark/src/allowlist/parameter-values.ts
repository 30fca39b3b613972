import { FrameholdError } from '../../../../server/src/model/errors.ts';

/** A value for a parameter, with the type that it has in Spark. It can be sent between processes. */
export type ParameterValue =
  | { readonly type: 'null' }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'tinyint' | 'smallint' | 'int' | 'bigint'; readonly value: bigint }
  | { readonly type: 'float' | 'double'; readonly value: number }
  /** `unscaled` × 10^-`scale`. */
  | {
      readonly type: 'decimal';
      readonly unscaled: bigint;
      readonly precision: number;
      readonly scale: number;
    }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'binary'; readonly value: Uint8Array }
  /** Days since 1970-01-01. */
  | { readonly type: 'date'; readonly days: number }
  /** Microseconds since 1970-01-01 00:00, in UTC and without a zone. */
  | { readonly type: 'timestamp' | 'timestamp_ntz'; readonly micros: bigint }
  /** A null that has a type, as Spark writes it: BIGINT, DECIMAL(10,2). */
  | { readonly type: 'typed_null'; readonly of: string };

/** By position, or by name. */
export type ParameterValues = readonly ParameterValue[] | Readonly<Record<string, ParameterValue>>;

const integers = {
  tinyint: ['Y', 7n],
  smallint: ['S', 15n],
  int: ['', 31n],
  bigint: ['L', 63n],
} as const;

/**
 * The value as SQL, in brackets, so that neither a sign nor a keyword in it can join what is around it. Of a text only letters, digits and
 * spaces are written as they are: no quote, no backslash, no `${` of a value is ever in the statement.
 */
export function literalText(value: ParameterValue): string {
  return `( ${plainLiteral(value)} )`;
}

function plainLiteral(value: ParameterValue): string {
  switch (value.type) {
    case 'null':
      return 'NULL';
    case 'typed_null':
      return `CAST ( NULL AS ${typeName(value.of)} )`;
    case 'boolean':
      return value.value ? 'TRUE' : 'FALSE';
    case 'tinyint':
    case 'smallint':
    case 'int':
    case 'bigint':
      return integerText(value.type, value.value);
    case 'float':
      return `CAST ( '${numberText(value.value)}' AS FLOAT )`;
    case 'double':
      return `CAST ( '${numberText(value.value)}' AS DOUBLE )`;
    case 'decimal':
      return decimalText(value);
    case 'string':
      return `'${escaped(value.value)}'`;
    case 'binary':
      return `X '${Buffer.from(value.value).toString('hex').toUpperCase()}'`;
    case 'date':
      return dateText(value.days);
    case 'timestamp':
    case 'timestamp_ntz':
      return timestampText(value.type, value.micros);
  }
}

function integerText(type: keyof typeof integers, value: bigint): string {
  const [suffix, bits] = integers[type];
  if (value < -(1n << bits) || value >= 1n << bits) throw unfit(`${value} is no ${type}.`);
  return value < 0n ? `- ${-value}${suffix}` : `${value}${suffix}`;
}

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return Object.is(value, -0) ? '-0.0' : String(value);
}

function decimalText({ unscaled, precision, scale }: ParameterValue & { type: 'decimal' }): string {
  const wholes = [precision, scale].every(Number.isInteger);
  if (!wholes || precision < 1 || precision > 38 || scale < 0 || scale > precision)
    throw unfit(`Spark has no DECIMAL(${precision},${scale}).`);
  if (unscaled >= 10n ** BigInt(precision) || -unscaled >= 10n ** BigInt(precision))
    throw unfit(`A value has more than ${precision} digits.`);
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().padStart(scale + 1, '0');
  const point = digits.length - scale;
  const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
  return `CAST ( '${unscaled < 0n ? '-' : ''}${text}' AS DECIMAL ( ${precision} , ${scale} ) )`;
}

/** In UTF-16 code units, as Spark reads them. */
function escaped(text: string): string {
  if (!text.isWellFormed()) throw unfit('A text has half of a surrogate pair.');
  return text.replace(/[^A-Za-z0-9 ]/g, (characters) =>
    Array.from(
      { length: characters.length },
      (_, at) => `\\u${characters.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  );
}

const dayMs = 86_400_000;

/** Dates of four-digit years: Spark reads others only with a sign. */
function dateText(days: number): string {
  if (!Number.isInteger(days)) throw unfit('A date is no whole day.');
  return `DATE '${isoTime(days * dayMs).slice(0, 10)}'`;
}

function timestampText(type: 'timestamp' | 'timestamp_ntz', micros: bigint): string {
  const fraction = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
  const seconds = Number((micros - fraction) / 1_000_000n);
  const text = `${isoTime(seconds * 1000).slice(0, 19)}.${fraction.toString().padStart(6, '0')}`;
  return type === 'timestamp' ? `TIMESTAMP_LTZ '${text}Z'` : `TIMESTAMP_NTZ '${text}'`;
}

function isoTime(ms: number): string {
  const year = Number.isFinite(ms) && Math.abs(ms) <= 8.64e15 ? new Date(ms).getUTCFullYear() : Number.NaN;
  if (!(year >= 1 && year <= 9999)) throw unfit('A date or time is not in the years 1 to 9999.');
  return new Date(ms).toISOString();
}

/** Only what the engine itself makes out of Arrow types can be here; the whole text is checked again after all. */
function typeName(name: string): string {
  if (!/^[A-Z_0-9(), ]{1,40}$/.test(name)) throw unfit(`${name} is no type.`);
  return (name.match(/[A-Z_0-9]+|[(),]/g) ?? []).join(' ');
}

function unfit(detail: string): FrameholdError {
  return new FrameholdError('sql_invalid', detail, { hint: 'Give another value for the parameter.' });
}
