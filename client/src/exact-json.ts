import { badArgument } from './errors.ts';

/** A value that can be sent as JSON without a change. */
export type Json =
  | null
  | boolean
  | string
  | number
  | bigint
  | Date
  | readonly Json[]
  | { readonly [name: string]: Json | undefined };

/** JSON with every digit of a BigInt. `JSON.stringify` would refuse it, and would turn NaN into null and -0 into 0. */
export function exactJson(value: Json): string {
  if (typeof value === 'bigint') return `${value}`;
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw badArgument(
        `JSON has no ${value}.`,
        "Write it into the statement, as 'NaN'::double or 'infinity'::double.",
      );
    return Object.is(value, -0) ? '-0.0' : `${value}`;
  }
  if (value === null || typeof value !== 'object' || value instanceof Date) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(exactJson).join(',')}]`;
  const members = Object.entries(value).flatMap(([name, member]) =>
    member === undefined ? [] : [`${JSON.stringify(name)}:${exactJson(member)}`],
  );
  return `{${members.join(',')}}`;
}
