import { formatOfName, type UploadFormat } from '../../../client/src/index.ts';
import { foreignFile } from '../../../server/src/encode/foreign-files.ts';
import { LocalError } from '../local-error.ts';
import { safeText } from '../output/safe-text.ts';

export type Compression = 'gzip' | 'zstd';

/** Enough to tell CSV from lines of JSON; the marks of binary formats are in the first eight bytes. */
export const beginningBytes = 64 * 1024;

/** By its first bytes: gzip and zstd have marks that no other format begins with. */
export function compressionOf(beginning: Uint8Array): Compression | undefined {
  if (startsWith(beginning, [0x1f, 0x8b])) return 'gzip';
  return startsWith(beginning, [0x28, 0xb5, 0x2f, 0xfd]) ? 'zstd' : undefined;
}

/** `trades.csv` for `trades.csv.gz`. */
export function withoutCompressionSuffix(fileName: string): string {
  return fileName.replace(/\.(gz|zst|zstd)$/i, '');
}

/**
 * The format that was named, else that of the file's name, else that of its first bytes. Formats that begin with a mark are compared with it:
 * sending other bytes would be an error after the whole upload.
 */
export function chooseFormat(
  fileName: string | null,
  beginning: Uint8Array,
  named: UploadFormat | undefined,
): UploadFormat {
  const label = fileName ?? 'Standard input';
  const foreign = foreignFile(beginning);
  if (foreign !== null) throw new LocalError(`${label} is ${foreign.what}.`, foreign.advice);
  const marked = markedFormat(beginning);
  const wanted = named ?? (fileName === null ? undefined : formatOfName(withoutCompressionSuffix(fileName)));
  if (wanted === undefined) return marked ?? textFormat(beginning, label);
  // Both forms of Arrow are Arrow to people.
  if (isArrow(wanted) && marked !== undefined && isArrow(marked)) return marked;
  if (wanted === marked) return marked;
  if (marked !== undefined)
    throw new LocalError(
      `${label} is ${names[marked]}, not ${names[wanted]}.`,
      `Give --format ${marked}, or rename the file.`,
    );
  if (!isBinary(wanted)) return wanted;
  throw new LocalError(
    `${label} is not ${names[wanted]}: it begins with ${beginningText(beginning)}.`,
    `Give its format, as in --format ${isText(beginning) ? textFormat(beginning, label) : 'csv'}, or write the file again.`,
  );
}

const names: Readonly<Record<UploadFormat, string>> = {
  arrow: 'an Arrow stream',
  'arrow-file': 'an Arrow file',
  parquet: 'Parquet',
  csv: 'CSV',
  tsv: 'TSV',
  ndjson: 'NDJSON',
  json: 'JSON',
};

function isArrow(format: UploadFormat): boolean {
  return format === 'arrow' || format === 'arrow-file';
}

function isBinary(format: UploadFormat): boolean {
  return isArrow(format) || format === 'parquet';
}

function markedFormat(beginning: Uint8Array): UploadFormat | undefined {
  if (startsWith(beginning, [0x50, 0x41, 0x52, 0x31])) return 'parquet';
  if (startsWith(beginning, [0x41, 0x52, 0x52, 0x4f, 0x57, 0x31])) return 'arrow-file';
  return startsWith(beginning, [0xff, 0xff, 0xff, 0xff]) ? 'arrow' : undefined;
}

function textFormat(beginning: Uint8Array, label: string): UploadFormat {
  if (!isText(beginning))
    throw new LocalError(
      `The format of ${label === 'Standard input' ? 'standard input' : label} is not known: it begins with ${beginningText(beginning)}.`,
      `Allowed: ${Object.keys(names).join(', ')}; name one with --format.`,
    );
  const text = new TextDecoder().decode(beginning).replace(/^\ufeff/, '');
  const [firstLine = ''] = text.trimStart().split('\n', 1);
  if (firstLine.startsWith('[')) return 'json';
  if (firstLine.startsWith('{')) return isJson(firstLine) ? 'ndjson' : 'json';
  return countOf(firstLine, '\t') > countOf(firstLine, ',') ? 'tsv' : 'csv';
}

/** Text has no zero bytes; UTF-16 has, but says so with its first two. */
function isText(beginning: Uint8Array): boolean {
  return !beginning.includes(0) || startsWith(beginning, [0xff, 0xfe]) || startsWith(beginning, [0xfe, 0xff]);
}

function isJson(line: string): boolean {
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}

function countOf(line: string, character: string): number {
  return line.split(character).length - 1;
}

function startsWith(bytes: Uint8Array, mark: readonly number[]): boolean {
  return mark.every((byte, index) => bytes[index] === byte);
}

function beginningText(beginning: Uint8Array): string {
  return `"${safeText(new TextDecoder().decode(beginning.subarray(0, 20)))}"`;
}
