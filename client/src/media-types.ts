export type UploadFormat = 'arrow' | 'arrow-file' | 'parquet' | 'csv' | 'tsv' | 'ndjson' | 'json';

const mediaTypes: Readonly<Record<UploadFormat, string>> = {
  arrow: 'application/vnd.apache.arrow.stream',
  'arrow-file': 'application/vnd.apache.arrow.file',
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  ndjson: 'application/x-ndjson',
  json: 'application/json',
};

const formatsByExtension: Readonly<Record<string, UploadFormat>> = {
  csv: 'csv',
  txt: 'csv',
  tsv: 'tsv',
  tab: 'tsv',
  json: 'json',
  ndjson: 'ndjson',
  jsonl: 'ndjson',
  parquet: 'parquet',
  arrow: 'arrow-file',
  feather: 'arrow-file',
  arrows: 'arrow',
};

export function mediaTypeOf(format: UploadFormat): string {
  return mediaTypes[format];
}

/** By the extension, as the server does for forms; undefined if it is another. */
export function formatOfName(fileName: string): UploadFormat | undefined {
  const extension = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  return Object.hasOwn(formatsByExtension, extension) ? formatsByExtension[extension] : undefined;
}
