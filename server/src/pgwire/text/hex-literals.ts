import { nextToken, type Token } from './tokens.ts';

/**
 * The text with `unhex('dead')` in the place of each `'\xdead'::bytea`, which is how drivers write bytes into a text. The engine would read it, but as other bytes: it
 * wants `\xde\\xad`. Places stay as they are: the new text is filled up with blanks.
 */
export function withHexLiterals(text: string): string {
  if (!text.includes("'\\x")) return text;
  let replaced = '';
  let copied = 0;
  let last: readonly Token[] = [];
  for (let token = nextToken(text, 0); token !== null; token = nextToken(text, token.end)) {
    last = [...last.slice(-3), token];
    const [literal, ...type] = last;
    if (literal?.kind !== 'string' || last.length < 4) continue;
    const digits = hexDigits(text.slice(literal.start, literal.end));
    const written = type.map(({ start, end }) => text.slice(start, end)).join('');
    if (digits === null || written.toLowerCase() !== '::bytea') continue;
    replaced += text.slice(copied, literal.start) + `unhex('${digits}')`.padEnd(token.end - literal.start);
    copied = token.end;
  }
  return replaced + text.slice(copied);
}

/** Of `'\xdead'`; null for any other text. */
function hexDigits(written: string): string | null {
  if (!written.startsWith("'\\x")) return null;
  const digits = written.slice(3, -1);
  const isHex =
    digits.length % 2 === 0 && [...digits].every((digit) => '0123456789abcdefABCDEF'.includes(digit));
  return isHex ? digits : null;
}
