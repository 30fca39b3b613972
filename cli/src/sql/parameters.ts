import type { Json } from '../../../client/src/index.ts';
import { UsageError } from '../usage-error.ts';

/** `--param name=value`: all by name, or all by number. */
export function parseParameters(
  written: readonly string[],
): readonly Json[] | { readonly [name: string]: Json } | undefined {
  if (written.length === 0) return undefined;
  const pairs = written.map(parsePair);
  const numbered = pairs.filter(([name]) => /^[1-9][0-9]{0,3}$/.test(name));
  if (numbered.length === 0) return Object.fromEntries(pairs);
  const byNumber = new Map(pairs.map(([name, value]) => [name, value]));
  const values = pairs.map((_pair, index) => byNumber.get(`${index + 1}`));
  if (values.every((value) => value !== undefined)) return values;
  throw new UsageError(
    'The numbers of parameters have a gap, or names are mixed with numbers.',
    'Write -p 1=… -p 2=… for $1 and $2, or names for all of them.',
  );
}

function parsePair(text: string): [name: string, value: Json] {
  const at = text.indexOf('=');
  const name = text.slice(0, Math.max(0, at)).replace(/^\$/, '');
  if (!/^[A-Za-z0-9_]{1,128}$/.test(name))
    throw new UsageError(
      `--param ${JSON.stringify(text)} is not a parameter.`,
      'Write NAME=VALUE, as in -p symbol=BTC-USD for $symbol.',
    );
  return [name, parseValue(text.slice(at + 1))];
}

/** Numbers, true, false, null and a text in double quotes as JSON has them; everything else is a text. No digit is lost. */
export function parseValue(text: string): Json {
  if (/^-?(0|[1-9][0-9]*)$/.test(text)) return BigInt(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (typeof value === 'boolean' || typeof value === 'string' || value === null) return value;
  // A number with more digits than a double holds is sent as a text, which SQL reads exactly.
  return typeof value === 'number' && String(value) === text ? value : text;
}
