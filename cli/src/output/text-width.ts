/** Columns that a text takes on a terminal: 2 for each wide character, 0 for marks that join the one before. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter().segment(text)) width += segmentWidth(segment);
  return width;
}

/** The beginning of a text that fits, with an ellipsis if something is left out. */
export function cutToWidth(text: string, widthMax: number): string {
  // No character takes less than a column and is longer than a few code units: this bounds the work for long cells.
  if (text.length <= widthMax && textWidth(text) <= widthMax) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of segmenter().segment(text.slice(0, widthMax * 16))) {
    const next = width + segmentWidth(segment);
    if (next > widthMax - 1) return `${kept}…`;
    kept += segment;
    width = next;
  }
  return kept.length === text.length ? text : `${kept}…`;
}

export function padToWidth(text: string, width: number, isRight: boolean): string {
  const gap = ' '.repeat(Math.max(0, width - textWidth(text)));
  return isRight ? gap + text : text + gap;
}

let kept: Intl.Segmenter | null = null;

function segmenter(): Intl.Segmenter {
  kept ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return kept;
}

function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 0x20 || code > 0x7e) return false;
  }
  return true;
}

/** Emoji, also those that a variation selector makes one. */
const emoji = /\p{Emoji_Presentation}|\ufe0f/u;
const joining = /^[\p{M}\p{Cf}\u1160-\u11ff]+$/u;

function segmentWidth(segment: string): number {
  if (joining.test(segment)) return 0;
  return emoji.test(segment) || isWide(segment.codePointAt(0) ?? 0) ? 2 : 1;
}

/** East Asian Wide and Fullwidth, in the blocks of Unicode that have them. */
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18aff],
  [0x1b000, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
];

function isWide(code: number): boolean {
  return wideRanges.some(([first, last]) => code >= first && code <= last);
}
