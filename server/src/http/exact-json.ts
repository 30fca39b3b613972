import { FrameholdError } from '../frames/errors.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

/** JSON in which whole numbers keep all their digits: those that a double cannot hold become BigInts. bad_request where it is not JSON. */
export function parseExactJson(text: string, what: string): unknown {
  try {
    return JSON.parse(text, exactNumber);
  } catch (cause) {
    if (cause instanceof FrameholdError) throw cause;
    throw new FrameholdError(
      'bad_request',
      `${what} is not JSON: ${(cause as Error).message.slice(0, 200)}.`,
      {
        cause,
      },
    );
  }
}

/** An integer of 128 bits has 39 digits and a sign. Longer ones are no integers to the engine, and take long to read. */
const integerLengthMax = 40;

function exactNumber(_key: string, value: unknown, context?: { readonly source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  const { source } = context;
  if (!Number.isSafeInteger(value) && source.length <= integerLengthMax && /^-?\d+$/.test(source))
    return BigInt(source);
  if (!Number.isFinite(value))
    throw new FrameholdError('bad_request', `${source.slice(0, 40)} is larger than a number can be.`, {
      hint: 'Give it as a string.',
    });
  return value;
}
