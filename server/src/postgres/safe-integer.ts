/** PostgreSQL's eight bytes as a number. Everything that is counted here stays far below 2⁵³; what does not is an error, never another number. */
export function parseSafeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw new RangeError(`${text} is not an integer that can be held exactly.`);
  return value;
}
