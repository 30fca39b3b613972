import { FrameholdError } from '../../model/errors.ts';
import { checkJsonSize } from './json-size.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * JSON whose numbers keep their digits: a whole number without a fraction or an exponent is a BigInt, every other number a
 * number. bad_request if it is not JSON or nests too deeply, body_too_large if it would take long.
 */
export function parseExactJson(text: string, what: string): unknown {
  try {
    checkJsonSize(text, what);
    return JSON.parse(text, exactNumber);
  } catch (cause) {
    if (cause instanceof FrameholdError) throw cause;
    throw new FrameholdError(
      'bad_request',
      `${what} is not JSON: ${(cause as Error).message.slice(0, 200)}.`,
      {
        cause,
        hint: 'Check the JSON at that position: names and strings need quotes, and the last member has no comma after it.',
      },
    );
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
    hint: 'Send it as a string.',
  });
}
