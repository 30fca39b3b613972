import { FrameholdError } from '../model/errors.ts';
import type { UploadFormat } from '../ports/codec.ts';
import { type RowFormat, rowFormats } from '../ports/renderer.ts';
import { outputFormats } from './output-formats.ts';

/** Which format a request means, by parameter or by media type. */

const acceptedTypes = new Map<string, RowFormat>(
  rowFormats.flatMap((format) => {
    const { mediaType, otherTypes = [] } = outputFormats[format];
    return [mediaType, ...otherTypes].map((type): [string, RowFormat] => [essence(type), format]);
  }),
);

const tabSeparated = 'text/tab-separated-values';
const uploadTypes = new Map<string, 'arrow' | UploadFormat>([
  ['application/vnd.apache.arrow.stream', 'arrow'],
  ['application/vnd.apache.arrow.file', 'arrow-file'],
  ['application/vnd.apache.parquet', 'parquet'],
  ['text/csv', 'csv'],
  [tabSeparated, 'csv'],
  ['application/json', 'json'],
  ['application/x-ndjson', 'ndjson'],
  ['application/ndjson', 'ndjson'],
  ['application/jsonl', 'ndjson'],
]);

const workbookAdvice = 'A workbook cannot be a frame: save it as CSV. ';
const codedAdvice = 'Name a compression in Content-Encoding (gzip or zstd), not in Content-Type. ';
/** What programs send of themselves for files that cannot be frames as they are; other files are known by their first bytes. */
const foreignTypes = new Map<string, string>([
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', workbookAdvice],
  ['application/vnd.ms-excel', workbookAdvice],
  ['application/vnd.oasis.opendocument.spreadsheet', workbookAdvice],
  ['application/gzip', codedAdvice],
  ['application/x-gzip', codedAdvice],
  ['application/zstd', codedAdvice],
  ['application/zip', 'An archive cannot be a frame: unpack it, and send each file as one. '],
]);

/** `fmt` wins over `Accept`; without either, and for any type, it is JSON. */
export function chooseFormat(fmt: string | undefined, accept: string | undefined): RowFormat {
  if (fmt !== undefined) {
    const format = rowFormats.find((name) => name === fmt);
    if (format !== undefined) return format;
    throw new FrameholdError(
      'bad_request',
      `fmt is ${JSON.stringify(shorten(fmt))}, which is not a format.`,
      {
        hint: `Use one of ${rowFormats.join(', ')}.`,
      },
    );
  }
  if (accept === undefined || accept.trim() === '') return 'json';
  const format = bestAccepted(parseAccept(accept));
  if (format !== null) return format;
  throw new FrameholdError('not_acceptable', `None of the types in Accept is offered: ${shorten(accept)}.`, {
    hint: `Accept one of ${rowFormats.map((name) => essence(outputFormats[name].mediaType)).join(', ')}, or give fmt.`,
  });
}

export interface UploadChoice {
  readonly format: 'arrow' | UploadFormat;
  /** What the manifest calls it. */
  readonly originFormat: string;
  /** What the media type says of a text. */
  readonly charset?: string;
  readonly delimiter?: string;
}

/** Whether a page is wanted rather than rows: browsers name text/html first when a person opens an address, and programs do not. */
export function prefersPage(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = parseAccept(accept);
  const position = ranges.findIndex(({ type }) => type === 'text/html');
  const quality = ranges[position]?.quality ?? 0;
  if (quality === 0) return false;
  return ranges.every(
    (range, at) =>
      !acceptedTypes.has(range.type) ||
      range.quality < quality ||
      (range.quality === quality && at > position),
  );
}

/** What the body of an upload is. */
export function uploadFormat(contentType: string | undefined): UploadChoice {
  const type = essence(contentType ?? '');
  const format = uploadTypes.get(type);
  const charset = charsetOf(contentType ?? '');
  if (format !== undefined)
    return {
      format,
      originFormat: type === tabSeparated ? 'tsv' : format,
      ...(charset === undefined ? {} : { charset }),
      ...(type === tabSeparated ? { delimiter: '\t' } : {}),
    };
  const what =
    contentType === undefined ? 'Content-Type is missing.' : `${shorten(contentType)} cannot be uploaded.`;
  throw new FrameholdError('unsupported_media_type', what, {
    hint: `${foreignTypes.get(type) ?? ''}Send Content-Type: one of ${[...uploadTypes.keys(), 'multipart/form-data'].join(', ')}.`,
  });
}

/** What files are called. A program that opens them may have given its own type to them, as Excel does to CSV. */
const extensionTypes: Readonly<Record<string, string>> = {
  arrow: 'application/vnd.apache.arrow.file',
  feather: 'application/vnd.apache.arrow.file',
  arrows: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv',
  txt: 'text/csv',
  tsv: tabSeparated,
  tab: tabSeparated,
  json: 'application/json',
  ndjson: 'application/x-ndjson',
  jsonl: 'application/x-ndjson',
};

/** What a file of a form is: by its type, else by the end of its name. */
export function fileFormat(contentType: string | undefined, fileName: string): UploadChoice {
  if (uploadTypes.has(essence(contentType ?? ''))) return uploadFormat(contentType);
  const extension = fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
  const type = Object.hasOwn(extensionTypes, extension) ? extensionTypes[extension] : undefined;
  if (type !== undefined) return uploadFormat(type);
  const what = `The file ${JSON.stringify(shorten(fileName))} of the form`;
  throw new FrameholdError(
    'unsupported_media_type',
    `${what} is ${shorten(contentType ?? 'of no type')}, which cannot be uploaded.`,
    {
      hint: `Name it with one of the ends .${Object.keys(extensionTypes).join(', .')}. Save a workbook as CSV.`,
    },
  );
}

interface AcceptedRange {
  readonly type: string;
  readonly quality: number;
}

/** Browsers send some ten. A header may be 128 KiB, and reading as many commas would take a tenth of a second. */
const rangesMax = 100;

function parseAccept(header: string): AcceptedRange[] {
  return header.split(',', rangesMax).map((range) => {
    const quality = /;\s*q\s*=\s*([0-9.]+)/i.exec(range)?.[1];
    const value = quality === undefined ? 1 : Number(quality);
    return { type: essence(range), quality: Number.isNaN(value) ? 0 : Math.min(1, value) };
  });
}

/** The closest range decides about a format; then quality, closeness and the order of the header decide among formats. */
function bestAccepted(ranges: readonly AcceptedRange[]): RowFormat | null {
  let best: { format: RowFormat; quality: number; closeness: number; position: number } | null = null;
  for (const format of rowFormats) {
    let closest = { format, quality: 0, closeness: 0, position: 0 };
    for (const [position, { type, quality }] of ranges.entries()) {
      const closeness = closenessOf(type, format);
      if (closeness > closest.closeness) closest = { format, quality, closeness, position };
    }
    if (closest.quality === 0) continue;
    const order =
      best === null
        ? 1
        : closest.quality - best.quality ||
          closest.closeness - best.closeness ||
          best.position - closest.position;
    if (order > 0) best = closest;
  }
  return best?.format ?? null;
}

function closenessOf(range: string, format: RowFormat): number {
  if (acceptedTypes.get(range) === format) return 3;
  if (range === '*/*') return 1;
  return range.endsWith('/*') && outputFormats[format].mediaType.startsWith(range.slice(0, -1)) ? 2 : 0;
}

/** The parameter `charset` of a media type; undefined if there is none. */
function charsetOf(mediaType: string): string | undefined {
  for (const parameter of mediaType.split(';').slice(1)) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() === 'charset') return value.trim().replaceAll('"', '');
  }
  return undefined;
}

/** The type without its parameters. */
function essence(mediaType: string): string {
  return (mediaType.split(';', 1)[0] ?? '').trim().toLowerCase();
}

function shorten(text: string): string {
  return text.length > 100 ? `${text.slice(0, 100)}…` : text;
}
