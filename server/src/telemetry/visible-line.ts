/**
 * Whatever a terminal or a reader of logs takes for a command or for the end of a line, our own line feeds excepted: all control characters
 * (JSON.stringify leaves those from U+007F to U+009F as they are) and the two separators of Unicode.
 */
const hidden = /[^\n\x20-\x7e\u00a0-\u2027\u202a-\uffff]/;
const allHidden = new RegExp(hidden, 'g');

/** Written as JSON writes them, so that what a caller sends can only be read. Almost no line has any, and to look is quick. */
export function visibleLine(line: string): string {
  if (!hidden.test(line)) return line;
  return line.replace(allHidden, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
