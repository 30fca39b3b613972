import { runPython } from './python.ts';

type JsonValue = null | boolean | string | bigint | number | JsonValue[] | { [key: string]: JsonValue };

/**
 * Parses with Node, keeping every digit: a whole number that a double cannot hold comes back as a bigint.
 */
export function parseExact(text: string): JsonValue {
  const reviver = (_key: string, value: unknown, context?: { source?: string }): unknown => {
    if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
    const source = context?.source ?? '';
    return /^-?\d+$/.test(source) ? BigInt(source) : value;
  };
  return JSON.parse(text, reviver as (key: string, value: unknown) => unknown) as JsonValue;
}

const parseStrictly = `
import json, sys
def refuse(name):
    raise ValueError('not JSON: ' + name)
def no_duplicates(pairs):
    names = [name for name, _ in pairs]
    if len(names) != len(set(names)):
        raise ValueError('a member twice: ' + str(names))
    return dict(pairs)
for text in json.load(sys.stdin):
    json.loads(text, parse_constant=refuse, object_pairs_hook=no_duplicates, strict=True)
print('null')
`;

/** Fails unless each text is JSON for Node and for Python's parser with NaN, Infinity and double members refused. */
export async function assertStrictJson(texts: readonly string[]): Promise<void> {
  for (const text of texts) JSON.parse(text);
  await runPython(['-c', parseStrictly], texts);
}
