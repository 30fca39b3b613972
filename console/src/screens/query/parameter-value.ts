import type { ParameterValue, ParameterValues } from './statement-run.ts';

/**
 * What a person typed for a parameter. Whole numbers keep all their digits. A number with a fraction is sent as a text, which the engine
 * converts to the type it needs, because a double would change decimals such as 0.1. Quotes make a text of anything.
 */
export function parameterValue(text: string): ParameterValue {
  const trimmed = text.trim();
  if (/^null$/i.test(trimmed)) return null;
  if (/^(true|false)$/i.test(trimmed)) return trimmed.toLowerCase() === 'true';
  if (/^-?(0|[1-9]\d*)$/.test(trimmed)) return BigInt(trimmed);
  if (trimmed.length >= 2 && trimmed.startsWith("'") && trimmed.endsWith("'"))
    return trimmed.slice(1, -1).replaceAll("''", "'");
  return text;
}

/** `$1`, `$2` … as a list, others by their names. */
export function parameterValues(
  names: readonly string[],
  texts: ReadonlyMap<string, string>,
): ParameterValues {
  const valueNamed = (name: string) => parameterValue(texts.get(name) ?? '');
  if (!names.every((name) => /^\d+$/.test(name)))
    return Object.fromEntries(names.map((name) => [name, valueNamed(name)]));
  const count = Math.max(...names.map(Number));
  return Array.from({ length: count }, (_, index) => valueNamed(`${index + 1}`));
}
