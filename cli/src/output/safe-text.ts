/**
 * Characters that a terminal obeys or that hide what is really there: C0, DEL, C1, line separators, and the marks that turn the direction of
 * text around.
 */
const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;
const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text that can be shown on a terminal: unsafe characters become escapes, except those that are allowed. */
export function safeText(text: string, allowed = ''): string {
  return text.replaceAll(unsafe, (character) =>
    allowed.includes(character) ? character : (named[character] ?? escapeOf(character)),
  );
}

function escapeOf(character: string): string {
  const code = character.charCodeAt(0);
  return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`;
}
