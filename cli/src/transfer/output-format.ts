import type { RowFormat } from '../../../client/src/index.ts';
import { LocalError } from '../local-error.ts';
import type { StandardOutput } from '../output/standard-output.ts';
import { UsageError } from '../usage-error.ts';

export const rowFormats: readonly RowFormat[] = ['arrow', 'parquet', 'csv', 'ndjson', 'json'];
/** For answers that are no rows. */
export const answerFormats = ['table', 'json'] as const;
/** For answers without an end: json is for changes, csv and ndjson are for rows. */
export const watchFormats = ['table', 'json', 'csv', 'ndjson'] as const;

const bySuffix: Readonly<Record<string, RowFormat>> = {
  arrow: 'arrow',
  arrows: 'arrow',
  parquet: 'parquet',
  csv: 'csv',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  json: 'json',
};

export function isBinary(format: string): boolean {
  return format === 'arrow' || format === 'parquet';
}

/** The format of a file to write, by its suffix. */
export function formatOfFile(path: string): RowFormat {
  const suffix = /\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const format = Object.hasOwn(bySuffix, suffix) ? bySuffix[suffix] : undefined;
  if (format !== undefined) return format;
  throw new UsageError(
    `The format of ${JSON.stringify(path)} is not known.`,
    `Give --format (${rowFormats.join(', ')}), or a name that ends with one of .${Object.keys(bySuffix).join(' .')}`,
  );
}

export function refuseBinaryOnTerminal(format: string, output: StandardOutput, instead: string): void {
  if (output.isTerminal && isBinary(format))
    throw new LocalError(`${format} is binary and cannot be shown on a terminal.`, instead);
}
