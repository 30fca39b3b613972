import { FrameholdError } from '../../frames/errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** A megabyte can hold half a million values; parsing all their digits takes a second, during which no other caller is served. */
const valuesMax = 50_000;

/**
 * JSON whose numbers keep their digits: a whole number without a fraction or an exponent is a BigInt, every other number a
 * number. bad_request if it is not JSON.
 */
export function parseExactJson(text: string, what: string): unknown {
  try {
    countValues(JSON.parse(text), what);
    return JSON.parse(text, exactNumber);
  } catch (cause) {
    if (cause instanceof FrameholdError) throw cause;
    throw new FrameholdError(
      'bad_request',
      `${what} is not JSON: ${(cause as Error).message.slice(0, 200)}.`,
      {
        cause,
        hint: 'Check the JSON at that place: quotes around names and texts, no comma after the last member.',
      },
    );
  }
}

/** Not by recursion: JSON nests as deep as it is long. */
function countValues(value: unknown, what: string): void {
  let count = 0;
  for (const waiting = [value]; waiting.length > 0; ) {
    const next = waiting.pop();
    const within = typeof next === 'object' && next !== null ? Object.values(next) : [];
    count += within.length;
    if (count > valuesMax)
      throw new FrameholdError('body_too_large', `${what} has more than ${valuesMax} values.`, {
        hint: 'Put long lists of values into a frame and join it.',
      });
    for (const each of within) waiting.push(each);
  }
}

/** An integer of 128 bits has 39 digits and a sign. Longer ones are not integers for the engine, and take long to parse. */
const integerLengthMax = 40;

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const { source } = context;
  if (!Number.isFinite(value)) throw unfit(source, 'is larger than a number can be');
  if (!/^-?\d+$/.test(source)) return value;
  if (source.length > integerLengthMax) throw unfit(source, 'has more digits than an integer can have');
  return BigInt(source);
}

function unfit(source: string, reason: string): FrameholdError {
  return new FrameholdError('bad_request', `${source.slice(0, 40)} ${reason}.`, {
    hint: 'Give it as a string.',
  });
}
