import type { ArrowType } from '../../arrow/field.ts';
import type { DecodeReport, DecodeRequest } from '../../ports/codec.ts';
import { badBody, shown } from '../bad-body.ts';
import { type Notation, notationOf } from '../cells/notation.ts';
import { forcedTypes, sqlTypeName } from '../cells/sql-type.ts';
import { FrameColumns, frameParser, valueRefused } from '../frame-columns.ts';
import { TextFile } from '../text-reader.ts';
import { type BlockReading, writeRows } from '../write-rows.ts';
import { CsvBlocks, readHead } from './csv-blocks.ts';
import { CsvColumn } from './csv-column.ts';
import { dialectOf, type FoundDialect } from './csv-dialect.ts';
import type { CsvBlock } from './csv-scanner.ts';

/** As many as Arrow streams may have; each has buffers of its own while rows are gathered. */
const columnsMax = 100_000;

/**
 * A CSV file as an Arrow stream. Types are guessed from the first rows. If a later one disproves a guess, the rest is read to find what fits
 * all rows, and the file is read again from its beginning. Every value comes back as it was written: what would lose digits, zeros or
 * anything else stays text.
 */
export async function decodeCsv(request: DecodeRequest, signal: AbortSignal): Promise<DecodeReport> {
  await using file = await TextFile.open(request.source, request.csv.charset);
  const reading = await CsvReading.begin(file, request, signal);
  if (!(await writeRows(reading, request, signal)) && !(await writeRows(reading, request, signal)))
    throw new Error('the types of a CSV file changed after all rows were seen');
  return reading.report();
}

type CsvRequest = Pick<DecodeRequest, 'csv' | 'partial' | 'frame'>;

/** A CSV file with what is known of it so far. */
export class CsvReading implements BlockReading<CsvBlock> {
  readonly #file: TextFile;
  readonly #request: CsvRequest;
  readonly #dialect: FoundDialect;
  readonly #notation: Notation;
  #columns: readonly CsvColumn[] | null = null;
  #surveyed = false;

  private constructor(file: TextFile, request: CsvRequest, dialect: FoundDialect) {
    this.#file = file;
    this.#request = request;
    this.#dialect = dialect;
    this.#notation = notationOf(request.csv);
  }

  static async begin(file: TextFile, request: CsvRequest, signal: AbortSignal): Promise<CsvReading> {
    const { head, whole } = await readHead(file, signal, request.partial ?? false);
    return new CsvReading(file, request, dialectOf(request.csv, head, whole));
  }

  /** Known with the first block. */
  get columns(): readonly CsvColumn[] {
    return this.#columns ?? [];
  }

  /** The rows from the first one on. */
  async *blocks(signal: AbortSignal): AsyncGenerator<CsvBlock, void, void> {
    const records = new CsvBlocks(this.#file, this.#dialect);
    for await (const block of records.blocks(signal, this.#request.partial ?? false)) {
      if (records.names === null) continue;
      this.#columns ??= this.#columnsOf(records.names);
      if (block.rows === 0) continue;
      if (!this.#surveyed) {
        for (const [index, column] of this.#columns.entries()) column.survey(block, index);
        this.#surveyed = true;
      }
      yield block;
    }
    if (this.#columns === null) throw badBody('The file is empty: a CSV begins with a line of column names.');
  }

  /** Appends the rows to the columns. False if a guessed type had to change: the rows before have been read with another. */
  take(block: CsvBlock): boolean {
    let isRight = true;
    let bad: { readonly row: number; readonly column: number } | null = null;
    for (let index = 0; index < this.columns.length; index++) {
      const column = this.columns[index] as CsvColumn;
      let row = column.read(block, index, 0);
      for (; row !== -1 && !column.isAsked; row = column.read(block, index, row)) isRight = false;
      if (row !== -1 && (bad === null || row < bad.row)) bad = { row, column: index };
    }
    if (bad !== null) throw this.#doesNotFit(block, bad.row, bad.column);
    return isRight;
  }

  report(): DecodeReport {
    const { decimal, thousands, dates } = this.#request.csv;
    return {
      text: {
        charset: this.#file.charset,
        delimiter: this.#dialect.delimiter,
        ...(decimal === undefined ? {} : { decimal }),
        ...(thousands === undefined ? {} : { thousands }),
        ...(dates === undefined ? {} : { dates }),
      },
    };
  }

  #columnsOf(names: readonly string[]): readonly CsvColumn[] {
    if (names.length > columnsMax)
      throw badBody(`The header has ${names.length} columns; at most ${columnsMax} are accepted.`);
    if (names.length === 1 && names[0] === '')
      throw badBody('The first line is empty: a CSV begins with a line of column names.');
    const forced = forcedTypes(this.#request.csv.types, names);
    const frame = FrameColumns.of(this.#request.frame, names);
    return names.map((name, index) => {
      const ofFrame = frame.types[index] ?? null;
      return ofFrame === null || forced.has(name)
        ? new CsvColumn(name, forced.get(name), this.#notation)
        : new CsvColumn(name, ofFrame, this.#notation, frameParser);
    });
  }

  #doesNotFit({ bytes, starts, ends, lines, width }: CsvBlock, row: number, column: number): Error {
    const cell = row * width + column;
    const text = bytes.toString('utf8', starts[cell], ends[cell]);
    const { name, type } = this.columns[column] as CsvColumn;
    const { frame, csv } = this.#request;
    if (frame !== undefined && !Object.hasOwn(csv.types ?? {}, name))
      return valueRefused(name, type, lines[row] as number, text);
    return badBody(
      `Line ${lines[row]}, column ${shown(name)}: ${shown(text)} is not a ${sqlTypeName(type)}.`,
      hintFor(type, text, this.#notation),
    );
  }
}

/** What its sender can do about a text that does not fit the type that was asked for. */
function hintFor(type: ArrowType, text: string, { decimal, dates }: Notation): string {
  const other = 'ask for another type with types=, or for none to have it found';
  const isNumber = type.kind === 'int' || type.kind === 'float' || type.kind === 'decimal';
  if (isNumber && decimal === '.' && /^[+-]?[0-9.]*,[0-9]+$/.test(text.slice(0, 100)))
    return `If the comma is a decimal mark, send decimal=, (and thousands=.); else ${other}.`;
  const isDay = type.kind === 'date' || type.kind === 'timestamp';
  if (isDay && dates === null && /^[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}/.test(text))
    return `Say in which order days are written with dates=dmy, mdy or ymd; or ${other}.`;
  return `If the text means a missing value, send null=${encodeURIComponent(text.slice(0, 20)) || '…'}; or ${other}.`;
}
