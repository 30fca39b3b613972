import type { Field } from '../../../arrow/field.ts';
import { FrameholdError } from '../../../model/errors.ts';

/** A value that no value of PostgreSQL's type is equal to. Nothing is rounded or cut in silence. */

const datetimeOverflow = '22008';
const numericOutOfRange = '22003';
const badCharacter = '22021';

function shown({ name }: Field): string {
  return JSON.stringify(name);
}

function refusal(field: Field, what: string, hint: string, sqlState: string): FrameholdError {
  return new FrameholdError('not_representable', `The column ${shown(field)} has ${what}.`, {
    hint,
    sqlState,
  });
}

export function hasNanoseconds(field: Field, type: 'timestamp' | 'time' | 'interval'): FrameholdError {
  const cast = type.toUpperCase();
  const zoned = field.type.kind === 'timestamp' && field.type.zone !== null;
  return refusal(
    field,
    `${type === 'timestamp' ? 'a timestamp' : type === 'time' ? 'a time' : 'an interval'} with nanoseconds, and PostgreSQL's ${type} has microseconds`,
    type === 'interval'
      ? 'Cast it: ::VARCHAR gives all digits as text.'
      : `Cast it: ::${zoned ? 'TIMESTAMPTZ' : cast} drops the nanoseconds, ::VARCHAR gives all digits as text.`,
    datetimeOverflow,
  );
}

export function outOfRange(field: Field, type: 'timestamp' | 'date' | 'time' | 'interval'): FrameholdError {
  const what = type === 'interval' ? 'an interval' : `a ${type}`;
  return refusal(
    field,
    `${what} outside the range of PostgreSQL's ${type}`,
    'Cast it to text: ::VARCHAR.',
    datetimeOverflow,
  );
}

export function dateWithTime(field: Field): FrameholdError {
  return refusal(
    field,
    "a date with a time of day, which PostgreSQL's date cannot hold",
    'Cast it to text: ::VARCHAR.',
    datetimeOverflow,
  );
}

export function scaleTooLarge(field: Field): FrameholdError {
  return refusal(
    field,
    "decimals with a scale that PostgreSQL's numeric cannot have",
    'Cast it to text: ::VARCHAR.',
    numericOutOfRange,
  );
}

export function hasZeroByte(field: Field): FrameholdError {
  return refusal(
    field,
    "a text with a zero byte, which PostgreSQL's text cannot hold",
    "Remove it, as with replace(column, chr(0), ''), or send its bytes: ::BLOB.",
    badCharacter,
  );
}
