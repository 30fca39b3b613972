import type { ManifestSummary } from '@framehold/client';

export type FrameColumn = 'name' | 'rows' | 'bytes' | 'version' | 'age' | 'expiry' | 'origin';

export interface FrameOrder {
  readonly column: FrameColumn;
  readonly descending: boolean;
}

const columns: readonly FrameColumn[] = ['name', 'rows', 'bytes', 'version', 'age', 'expiry', 'origin'];

/** As it is in the address: `rows`, or `-rows` for the largest first. */
export function parseOrder(text: string | null): FrameOrder {
  const descending = text?.startsWith('-') ?? false;
  const column = columns.find((each) => each === (descending ? text?.slice(1) : text));
  return column === undefined ? { column: 'name', descending: false } : { column, descending };
}

export function orderText({ column, descending }: FrameOrder): string | null {
  return column === 'name' && !descending ? null : `${descending ? '-' : ''}${column}`;
}

/** What a click on a column does: the useful direction first, then the other. */
export function nextOrder(current: FrameOrder, column: FrameColumn): FrameOrder {
  if (current.column === column) return { column, descending: !current.descending };
  return { column, descending: column === 'rows' || column === 'bytes' || column === 'version' };
}

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Frames whose name has every word of the search, in any order and case, and those that are `said` to be what is searched for. */
export function searchFrames(
  frames: Iterable<ManifestSummary>,
  search: string,
  said: ReadonlySet<string> = new Set(),
): ManifestSummary[] {
  const words = search.toLowerCase().split(' ').filter(Boolean);
  const found: ManifestSummary[] = [];
  for (const frame of frames) {
    const name = frame.name.toLowerCase();
    if (said.has(frame.name) || words.every((word) => name.includes(word))) found.push(frame);
  }
  return found;
}

/** Sorted in place; the same order for equal frames is by name. */
export function sortFrames(frames: ManifestSummary[], { column, descending }: FrameOrder): ManifestSummary[] {
  const sign = descending ? -1 : 1;
  return frames.sort((a, b) => sign * compare(a, b, column) || collator.compare(a.name, b.name));
}

function compare(a: ManifestSummary, b: ManifestSummary, column: FrameColumn): number {
  switch (column) {
    case 'name':
      return collator.compare(a.name, b.name);
    case 'rows':
      return a.rows - b.rows;
    case 'bytes':
      return a.bytes - b.bytes;
    case 'version':
      return a.version - b.version;
    case 'age':
      // The youngest first: times of one form compare as texts.
      return compareTexts(b.createdAt, a.createdAt);
    case 'expiry':
      // A frame without an expiry lives longest.
      return compareTexts(a.expiresAt ?? '~', b.expiresAt ?? '~');
    case 'origin':
      return compareTexts(originText(a), originText(b));
  }
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const formatNames: Readonly<Record<string, string>> = {
  arrow: 'Arrow',
  'arrow-file': 'Arrow file',
  csv: 'CSV',
  flight: 'Flight',
  json: 'JSON',
  ndjson: 'NDJSON',
  parquet: 'Parquet',
  sql: 'SQL',
  tsv: 'TSV',
};

/** Where the newest version comes from: `CSV`, `CSV, appended`, `Query`. */
export function originText({ origin }: ManifestSummary): string {
  const format = formatNames[origin.format] ?? origin.format;
  switch (origin.kind) {
    case 'upload':
      return format;
    case 'append':
      return `${format}, appended`;
    case 'query':
      return 'Query';
    case 'restored':
      return `Version ${origin.from ?? '?'} restored`;
  }
}
