import type { ParseTree } from 'antlr4ng';
import { type AllowlistFinding, refused } from './refusal.ts';
import { type WrittenValue, writtenValue } from './tree-values.ts';

/**
 * Arguments that decide how much memory a single call takes, or how long the driver plans it. They must be written in the statement (or be
 * parameters, which are written into it later), and within a limit. A statement can still make large values by joining and aggregating rows:
 * those grow where the limits of an executor hold.
 */
type Rule = (value: WrittenValue) => boolean;

interface Cap {
  /** Positions of the arguments, from 0, with what each must be. */
  readonly rules: Readonly<Record<number, Rule>>;
  readonly argumentsMax?: number;
  readonly limit: string;
}

function whole(least: bigint, most: bigint): Rule {
  return (value) => value.kind === 'integer' && value.value >= least && value.value <= most;
}

/** A text of 10,000 characters is a page or two: enough for padding and rulers. */
const lengthMax = 10_000n;
const length = whole(-lengthMax, lengthMax);

/** More digits than a double or a decimal has; 10 to the power of more would be computed exactly. */
const digits = whole(-400n, 400n);

/** Formats in which a number could be a width or a precision are read with care: no number of four digits or more. */
const format: Rule = (value) => value.kind === 'text' && !value.tokens.some((token) => /\d{4}/.test(token));

/** Types in a text are parsed by Spark, by recursion. */
const typeText: Rule = (value) =>
  value.kind === 'text' &&
  value.tokens.every((token) => token.length <= 16_384 && (token.match(/[<(]/g) ?? []).length <= 64);

/** Spark computes it on the driver, when it plans. */
const literal: Rule = () => true;

function cap(limit: string, rules: Readonly<Record<number, Rule>>, argumentsMax?: number): Cap {
  return { limit, rules, ...(argumentsMax === undefined ? {} : { argumentsMax }) };
}

const padding = cap('The length must be a number of at most 10000, written in the statement', { 1: length });
const rounding = cap('The digits must be a number from -400 to 400, written in the statement', { 1: digits });
const formatting = cap('The format must be written in the statement, with no number of four digits', {
  0: format,
});
const typed = cap('The type must be a text that is written in the statement, with at most 64 levels', {
  1: typeText,
});
const typedThird = cap('The path and type must be texts that are written in the statement', {
  1: (value) => value.kind === 'text',
  2: typeText,
});
const accuracy = cap('The percentage and the accuracy (at most 1000000) must be written in the statement', {
  1: literal,
  2: whole(1n, 1_000_000n),
});
const secondWritten = cap('The second argument must be written in the statement', { 1: literal });
const firstWritten = cap('The percentage must be written in the statement', { 0: literal });

const caps: Readonly<Record<string, Cap>> = {
  repeat: padding,
  lpad: padding,
  rpad: padding,
  array_repeat: padding,
  space: cap('The length must be a number of at most 10000, written in the statement', { 0: length }),
  array_insert: padding,
  round: rounding,
  bround: rounding,
  ceil: rounding,
  ceiling: rounding,
  floor: rounding,
  format_number: cap('The format must be written in the statement: up to 400 digits', {
    1: (value) => digits(value) || format(value),
  }),
  format_string: formatting,
  printf: formatting,
  from_json: typed,
  from_csv: typed,
  variant_get: typedThird,
  try_variant_get: typedThird,
  approx_percentile: accuracy,
  percentile_approx: accuracy,
  percentile: secondWritten,
  percentile_cont: firstWritten,
  percentile_disc: firstWritten,
  first: secondWritten,
  first_value: secondWritten,
  last: secondWritten,
  last_value: secondWritten,
  any_value: secondWritten,
  mode: secondWritten,
  listagg: secondWritten,
  string_agg: secondWritten,
  sort_array: secondWritten,
  to_number: secondWritten,
  try_to_number: secondWritten,
  to_char: secondWritten,
  to_varchar: secondWritten,
  histogram_numeric: cap('The number of bins must be at most 10000, written in the statement', { 1: length }),
  approx_count_distinct: cap('The error must be a number of at least 0.005, written in the statement', {
    1: (value) => value.kind === 'decimal' && value.value >= 0.005 && value.value < 1,
  }),
  stack: cap('The number of rows must be at most 1000, written in the statement', { 0: whole(1n, 1000n) }),
  ntile: cap('The number of groups must be written in the statement', { 0: whole(1n, 1_000_000n) }),
  lag: cap('The offset must be written in the statement', { 1: whole(-1_000_000n, 1_000_000n) }),
  lead: cap('The offset must be written in the statement', { 1: whole(-1_000_000n, 1_000_000n) }),
  nth_value: cap('The position must be written in the statement', { 1: whole(1n, 1_000_000n) }),
  // A window that slides makes a copy of each row for each window it is in.
  window: cap('A window takes a time and a length; windows that slide are not offered', { 1: literal }, 2),
  session_window: cap('A session takes a time and a gap', { 1: literal }, 2),
};

/** Rows that range() and elements that sequence() may make: a spine of a hundred years of days, and a good deal more. */
const rowsMax = 10_000_000n;
const elementsMax = 100_000n;

/** Throws if the arguments of a function are not within its limits. */
export function checkArguments(name: string, values: readonly ParseTree[], position: number | null): void {
  const found = fault(name, values, position);
  if (found !== null) throw found;
}

function fault(name: string, values: readonly ParseTree[], position: number | null): AllowlistFinding | null {
  if (name === 'range') return spanFault(name, values, rowsMax, position);
  if (name === 'sequence') return sequenceFault(values, position);
  const rule = caps[name];
  if (rule === undefined) return null;
  const tooMany = rule.argumentsMax !== undefined && values.length > rule.argumentsMax;
  const broken = Object.entries(rule.rules).some(([index, holds]) => {
    const value = values[Number(index)];
    return value !== undefined && !isWithin(value, holds);
  });
  return tooMany || broken ? refused(`${rule.limit} (${name}).`, position) : null;
}

function isWithin(value: ParseTree, holds: Rule): boolean {
  const written = writtenValue(value);
  return written !== null && (written.kind === 'parameter' || holds(written));
}

/** start, end, step: all written in the statement, so that their number is known. */
function spanFault(
  name: string,
  values: readonly ParseTree[],
  most: bigint,
  position: number | null,
): AllowlistFinding | null {
  const written = values.map(writtenValue);
  const sentence = `The arguments of ${name} must be whole numbers that are written in the statement, for at most ${most} values.`;
  if (values.length > 3) return refused(sentence, position);
  if (written.some((value) => value === null || (value.kind !== 'integer' && value.kind !== 'parameter')))
    return refused(sentence, position, 'Put longer series into a frame.');
  if (written.some((value) => value?.kind === 'parameter')) return null;
  const numbers = written.flatMap((value) => (value?.kind === 'integer' ? [value.value] : []));
  const [start = 0n, end = 0n] = numbers.length === 1 ? [0n, numbers[0]] : numbers;
  const step = numbers[2] ?? 1n;
  if (step === 0n) return refused(sentence, position);
  const span = end > start ? end - start : start - end;
  return span / (step > 0n ? step : -step) > most ? refused(sentence, position) : null;
}

/** Of numbers, or of dates by days, weeks, months or years: a hundred years of days at most. */
function sequenceFault(values: readonly ParseTree[], position: number | null): AllowlistFinding | null {
  const [first, last] = values.slice(0, 2).map(writtenValue);
  if (first?.kind !== 'date' || last?.kind !== 'date')
    return spanFault('sequence', values, elementsMax, position);
  const days = Math.abs(dayOf(last.text) - dayOf(first.text));
  const step = values[2]?.getText() ?? "INTERVAL'1'DAY";
  const within = days <= 36_600 && /^INTERVAL'?-?[1-9]\d{0,3}'?(DAY|WEEK|MONTH|YEAR)S?$/i.test(step);
  if (within) return null;
  return refused(
    'A sequence of dates must be written in the statement, by days or longer, for at most a hundred years.',
    position,
    "Write sequence(DATE '2024-01-01', DATE '2024-12-31', INTERVAL 1 DAY).",
  );
}

/** NaN for another form, which no limit admits. */
function dayOf(quoted: string): number {
  const match = /^'(\d{4}-\d{2}-\d{2})'$/.exec(quoted);
  return match === null ? Number.NaN : Date.parse(`${match[1]}T00:00:00Z`) / 86_400_000;
}
