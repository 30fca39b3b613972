import type { UploadFormat } from '@framehold/client';

/** Pasted text: JSON begins with a bracket, and a spreadsheet copies tabs. */
export function formatOfText(text: string): UploadFormat {
  const start = text.slice(0, 1_000).trimStart();
  if (start.startsWith('[')) return 'json';
  if (start.startsWith('{')) return 'ndjson';
  const end = text.indexOf('\n');
  return (end < 0 ? text : text.slice(0, end)).includes('\t') ? 'tsv' : 'csv';
}

const nameLengthMax = 128;

/** A valid name from the name of a file: `Trades 2024 (final).csv` becomes `Trades_2024_final`. */
export function frameNameOf(fileName: string | null): string {
  if (fileName === null) return 'pasted';
  const dot = fileName.lastIndexOf('.');
  const stem = dot > 0 ? fileName.slice(0, dot) : fileName;
  const plain = stem
    .normalize('NFKD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[^A-Za-z0-9_.-]+/g, '_')
    .replaceAll(/^[.-]+|[_.-]+$/g, '');
  return plain.slice(0, nameLengthMax) || 'frame';
}

export function isFrameName(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(text);
}
