/** CSV without its first line. The name of a column may have line ends in it, between quotes. */
export function withoutHeader(csv: string): string {
  let isQuoted = false;
  for (let at = 0; at < csv.length; at++) {
    const character = csv[at];
    // A doubled quote within quotes ends and begins them, which changes nothing.
    if (character === '"') isQuoted = !isQuoted;
    else if (character === '\n' && !isQuoted) return csv.slice(at + 1);
  }
  return '';
}
