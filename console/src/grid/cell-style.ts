/** How a cell looks, beside its text. A null and an empty text have marks that no value can be mistaken for. */
export interface ShownCell {
  readonly text: string;
  readonly className: string;
}

/** A cell shows at most this much; the record view shows all of it. An element with megabytes of text makes scrolling slow. */
const shownTextMax = 300;

const nullCell: ShownCell = { text: 'null', className: 'grid-cell is-null' };
const emptyCell: ShownCell = { text: 'empty', className: 'grid-cell is-empty' };
export const blankCell: ShownCell = { text: '', className: 'grid-cell is-blank' };

export function shownCell(text: string | null, isNumber: boolean): ShownCell {
  if (text === null) return isNumber ? { ...nullCell, className: 'grid-cell is-null is-number' } : nullCell;
  if (text === '') return emptyCell;
  const shown = text.length > shownTextMax ? `${text.slice(0, shownTextMax)}…` : text;
  return { text: withVisibleBreaks(shown), className: isNumber ? 'grid-cell is-number' : 'grid-cell' };
}

/** A cell has one line. */
function withVisibleBreaks(text: string): string {
  return /[\t\r\n]/.test(text)
    ? text.replaceAll('\r\n', '↵').replaceAll('\n', '↵').replaceAll('\r', '↵').replaceAll('\t', '⇥')
    : text;
}
