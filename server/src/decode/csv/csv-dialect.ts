import { Buffer } from 'node:buffer';
import { FrameholdError } from '../../model/errors.ts';
import type { CsvOptions } from '../../ports/codec.ts';
import { badBody, shown } from '../bad-body.ts';
import { type CsvDialect, CsvScanner, type RaggedRow } from './csv-scanner.ts';

/** How much of a file is looked at to find its delimiter. */
export const headBytes = 1024 * 1024;

export interface FoundDialect extends CsvDialect {
  /** Bytes of a first line `sep=;` as Excel writes it, which is not the header. */
  readonly skippedBytes: number;
}

const separatorLine = /^sep=([^"\r\n])\r?\n/i;

/** What is asked for, then what the line `sep=` says, then what the head of the file shows. `whole`: the head is the file. */
export function dialectOf(csv: CsvOptions, head: Buffer, whole: boolean): FoundDialect {
  const separator = separatorLine.exec(head.toString('latin1', 0, 10));
  const skippedBytes = separator?.[0].length ?? 0;
  const nullText = csv.nullText ?? '';
  const named = csv.delimiter ?? separator?.[1];
  if (named !== undefined) return { delimiter: checked(named), nullText, skippedBytes };
  const tried = (delimiter: string) => splits(head, whole, { delimiter, nullText });
  return { delimiter: findDelimiter(csv.decimal === ',', tried), nullText, skippedBytes };
}

/** A comma wherever it fits, else the only other one that does, else a comma again: such a file has one column, or no regular rows. */
function findDelimiter(commaIsDecimal: boolean, tried: (delimiter: string) => boolean): string {
  if (!commaIsDecimal && tried(',')) return ',';
  const others = [';', '\t', '|'].filter(tried);
  return others.length === 1 ? (others[0] as string) : ',';
}

/** Whether all rows have as many fields as the header, at least two. */
function splits(head: Buffer, whole: boolean, dialect: CsvDialect): boolean {
  const scanner = new CsvScanner(dialect);
  // A copy: the scanner writes into what it scans.
  const bytes = Buffer.alloc(head.length + 1);
  head.copy(bytes);
  const { fault } = scanner.scan(bytes, head.length, whole);
  return fault === null && (scanner.names?.length ?? 0) >= 2;
}

function checked(delimiter: string): string {
  if (delimiter.length === 1 && !'"\r\n'.includes(delimiter) && delimiter.charCodeAt(0) <= 126)
    return delimiter;
  throw new FrameholdError('bad_request', `delimiter= must be one character, not ${shown(delimiter)}.`, {
    hint: 'Use a comma, a semicolon, a tab (%09) or another ASCII character that is not a quote or a line end.',
  });
}

/** What is wrong with a row of another length, and what is probably the cause. */
export function raggedRow(
  { line, fields, width, text }: RaggedRow,
  names: readonly string[],
  used: string,
): Error {
  const what = `Line ${line} has ${fields} fields, the header has ${width}`;
  const header = names.join(used);
  const row = text.replace(/\r?\n$/, '');
  for (const other of [',', ';', '\t', '|']) {
    const wanted = header.split(other).length;
    if (other !== used && wanted >= 2 && row.split(other).length === wanted)
      return badBody(
        `${what}: is the delimiter ${delimiterName(other)}?`,
        `Send delimiter=${encodeURIComponent(other)}.`,
      );
  }
  if (fields === width + 1 && row.endsWith(used))
    return badBody(
      `${what}: the line ends with a delimiter.`,
      'Give the header a last, empty field too, or neither.',
    );
  if (fields > width)
    return badBody(
      `${what}: ${shown(row)}.`,
      `Put fields with a ${delimiterName(used)} in them in quotes, or name another delimiter with delimiter=.`,
    );
  return badBody(
    `${what}: ${shown(row)}.`,
    'Put fields with a line end in them in quotes; an empty field still has its delimiter.',
  );
}

function delimiterName(delimiter: string): string {
  return delimiter === '\t' ? 'a tab' : `\`${delimiter}\``;
}
