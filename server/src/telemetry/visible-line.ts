/**
 * Characters that a terminal or a log reader takes for a command or for the end of a line, except our own line feeds: all control characters
 * (JSON.stringify leaves those from U+007F to U+009F as they are) and the two separators of Unicode.
 */
const hidden = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\uffff]/;
const allHidden = new RegExp(hidden, 'g');

/** Escapes them as JSON does, so that text from a caller cannot act. Almost no line has any, and the test is quick. */
export function visibleLine(line: string): string {
  if (!hidden.test(line)) return line;
  return line.replace(allHidden, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
