import type { ArrowType, Field } from '../../../arrow/field.ts';
import { type CellParser, cellParser } from '../cells/cell-parser.ts';
import { type CellBuilder, cellBuilder, TextBuilder } from '../cells/column-builder.ts';
import { ColumnGuess } from '../cells/column-guess.ts';
import type { Notation } from '../cells/notation.ts';
import { uuidMetadata } from '../cells/sql-type.ts';
import type { CsvBlock } from './csv-scanner.ts';
import {
  decimalCell,
  type ShortCell,
  shortBoolean,
  shortDay,
  shortInteger,
  shortMoment,
} from './short-cells.ts';

/** One column while a file is read. Its type was asked for, or is what all texts so far have in common. */
export class CsvColumn {
  readonly name: string;
  readonly #notation: Notation;
  /** null: the type was asked for. */
  readonly #guess: ColumnGuess | null;
  #type: ArrowType;
  #builder: CellBuilder;
  #parse: CellParser;
  #short: ShortCell | null;

  constructor(
    name: string,
    asked: ArrowType | undefined,
    notation: Notation,
    parserOf: typeof cellParser = cellParser,
  ) {
    this.name = name;
    this.#notation = notation;
    this.#guess = asked === undefined ? new ColumnGuess(notation) : null;
    this.#type = asked ?? new ColumnGuess(notation).type();
    this.#builder = cellBuilder(fieldOf(name, this.#type));
    this.#parse = parserOf(this.#type, notation);
    this.#short = shortCell(this.#type, notation);
  }

  get builder(): CellBuilder {
    return this.#builder;
  }

  get type(): ArrowType {
    return this.#type;
  }

  get isAsked(): boolean {
    return this.#guess === null;
  }

  /** The text that made a guessed column what it is. */
  get cause(): ColumnGuess['cause'] {
    return this.#guess?.cause ?? null;
  }

  /** Looks at the column's texts before any is read: a guess that the whole file often confirms. */
  survey(block: CsvBlock, column: number): void {
    if (this.#guess === null) return;
    const { bytes, starts, ends, width, rows, lines } = block;
    for (let row = 0, cell = column; row < rows && !this.#guess.isText; row++, cell += width) {
      const end = ends[cell] as number;
      if (end >= 0) this.#guess.add(bytes.toString('utf8', starts[cell], end), lines[row] as number);
    }
    this.#become(this.#guess.type());
  }

  /**
   * Appends the column's cells from this row on. Answers -1, or the row whose text does not fit the type: of a guessed column that has become
   * another type then, and what was appended before is void.
   */
  read(block: CsvBlock, column: number, from: number): number {
    if (this.#builder instanceof TextBuilder) {
      if (this.#guess === null || this.#guess.isText) return readTexts(this.#builder, block, column, from);
    }
    const { bytes, starts, ends, width, rows } = block;
    const builder = this.#builder;
    const short = this.#short;
    for (let row = from, cell = from * width + column; row < rows; row++, cell += width) {
      const end = ends[cell] as number;
      if (end < 0) {
        builder.appendNull();
        continue;
      }
      const start = starts[cell] as number;
      if (short !== null) {
        const value = short(bytes, start, end);
        if (!Number.isNaN(value)) {
          builder.append(value);
          continue;
        }
      }
      if (!this.#long(bytes.toString('utf8', start, end), block.lines[row] as number)) return row;
    }
    return -1;
  }

  /** Of the rows so far, whose batch is not wanted. */
  discard(): void {
    this.#builder.take();
  }

  #long(text: string, line: number): boolean {
    if (this.#guess !== null) {
      this.#guess.add(text, line);
      const type = this.#guess.type();
      if (type !== this.#type) {
        this.#become(type);
        return false;
      }
    }
    const value = this.#parse(text);
    if (value === undefined) {
      if (this.#guess !== null) throw new Error(`a guessed column does not take ${text.slice(0, 80)}`);
      return false;
    }
    this.#builder.append(value);
    return true;
  }

  #become(type: ArrowType): void {
    this.#type = type;
    this.#builder = cellBuilder(fieldOf(this.name, type));
    this.#parse = cellParser(type, this.#notation);
    this.#short = shortCell(type, this.#notation);
  }
}

function readTexts(builder: TextBuilder, block: CsvBlock, column: number, from: number): -1 {
  const { bytes, starts, ends, width, rows } = block;
  for (let row = from, cell = from * width + column; row < rows; row++, cell += width) {
    const end = ends[cell] as number;
    if (end < 0) builder.appendNull();
    else builder.appendUtf8(bytes, starts[cell] as number, end);
  }
  return -1;
}

/** What reads the usual texts of a type; null if there is no such way. */
function shortCell(type: ArrowType, { decimal }: Notation): ShortCell | null {
  if (type.kind === 'int' && type.bits === 64 && type.signed) return shortInteger;
  if (type.kind === 'float' && type.bits === 64) return decimalCell(decimal.charCodeAt(0));
  if (type.kind === 'bool') return shortBoolean;
  if (type.kind === 'date') return shortDay;
  if (type.kind === 'timestamp' && type.unit === 'us' && type.zone === null) return shortMoment;
  return null;
}

function fieldOf(name: string, type: ArrowType): Field {
  const metadata = type.kind === 'fixed-binary' ? uuidMetadata : [];
  return { name, nullable: true, type, children: [], dictionary: null, metadata };
}
