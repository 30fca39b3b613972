import type { TextBuffer } from '../../cells/text-buffer.ts';

/**
 * Puts the byte `before` in front of each marked byte of what was written since `start`, in place, and `quote` around it. Makes its own room. `letters`: what a
 * marked byte becomes behind the escape, if not itself.
 */
export function escapeWritten(
  out: TextBuffer,
  start: number,
  marks: Uint8Array,
  before: number,
  quote: number | null,
  letters: Uint8Array | null = null,
): void {
  let escapes = 0;
  for (let index = start; index < out.at; index++) escapes += marks[out.bytes[index] as number] as number;
  const more = escapes + (quote === null ? 0 : 2);
  if (more === 0) return;
  out.reserve(more);
  const { bytes } = out;
  let from = out.at - 1;
  out.at += more;
  let at = out.at - 1;
  if (quote !== null) bytes[at--] = quote;
  for (; from >= start; from--) {
    const byte = bytes[from] as number;
    if (marks[byte] === 1) {
      bytes[at--] = letters === null ? byte : (letters[byte] as number);
      bytes[at--] = before;
    } else bytes[at--] = byte;
  }
  if (quote !== null) bytes[at] = quote;
}
