// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what JSON wants escaped.
const jsonSpecial = /["\\\u0000-\u001f]/;
/** RFC 4180's, and the mark that a reader would take off at the beginning of a file. */
const csvSpecial = /[",\r\n\ufeff]/;

export function jsonText(text: string): string {
  return jsonSpecial.test(text) ? JSON.stringify(text) : `"${text}"`;
}

/** Quoted if needed; the empty string always, so that it differs from null. */
export function csvText(text: string): string {
  return text === '' || csvSpecial.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
