/** The members of a source map (ECMA-426) that are read. */
export interface SourceMap {
  readonly sources: readonly string[];
  readonly mappings: string;
}

const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const digitValues = new Uint8Array(128);
for (let value = 0; value < digits.length; value++) digitValues[digits.charCodeAt(value)] = value;
const semicolon = 59;
const comma = 44;

/**
 * The place in the sources, as `file:line:column`, of a place in what was made of them; lines and columns count from 1. null if there is none.
 *
 * `mappings` has lines separated by semicolons, in them segments separated by commas, in these numbers in base 64: column, source, line
 * and column of the source, each as the difference from the one before.
 */
export function placeOf(map: SourceMap, line: number, column: number): string | null {
  const { mappings, sources } = map;
  let position = 0;
  let generatedLine = 1;
  const at = [0, 0, 0, 0, 0];
  let found: string | null = null;
  while (position < mappings.length && generatedLine <= line) {
    const next = mappings.charCodeAt(position);
    if (next === semicolon) {
      generatedLine += 1;
      at[0] = 0;
      position += 1;
      continue;
    }
    if (next === comma) {
      position += 1;
      continue;
    }
    let fields = 0;
    for (; position < mappings.length && fields < at.length; fields++) {
      const code = mappings.charCodeAt(position);
      if (code === comma || code === semicolon) break;
      let value = 0;
      for (let shift = 0, more = true; more; shift += 5) {
        const digit = digitValues[mappings.charCodeAt(position++)] ?? 0;
        value |= (digit & 31) << shift;
        more = (digit & 32) !== 0;
      }
      at[fields] = (at[fields] ?? 0) + (value & 1 ? -(value >> 1) : value >> 1);
    }
    const [generatedColumn = 0, source = 0, sourceLine = 0, sourceColumn = 0] = at;
    if (generatedLine === line && fields >= 4 && generatedColumn < column)
      found = `${sources[source]}:${sourceLine + 1}:${sourceColumn + 1}`;
  }
  return found;
}
