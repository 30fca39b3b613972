import type { ArrowType, Field } from '../../arrow/field.ts';
import { cellBuilder } from '../cells/cell-builder.ts';
import { type CellParser, cellParser } from '../cells/cell-parser.ts';
import type { CellBuilder } from '../cells/column-builder.ts';
import { ColumnGuess } from '../cells/column-guess.ts';
import type { Notation } from '../cells/notation.ts';
import { type ShortRun, shortRun } from '../cells/short-run.ts';
import { uuidMetadata } from '../cells/sql-type.ts';
import { TextBuilder } from '../cells/text-builder.ts';
import type { CsvBlock } from './csv-scanner.ts';

/** One column while a file is read. Its type was asked for, or is what all texts so far have in common. */
export class CsvColumn {
  readonly name: string;
  readonly #notation: Notation;
  /** null: the type was asked for. */
  readonly #guess: ColumnGuess | null;
  #type: ArrowType;
  #builder: CellBuilder;
  #parse: CellParser;
  #short: ShortRun | null;

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
    this.#short = shortRun(this.#type, this.#builder, notation.decimal);
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
    const { bytes, starts, ends, width, rows, lines } = block;
    if (this.#builder instanceof TextBuilder && (this.#guess === null || this.#guess.isText)) {
      this.#builder.appendCells(block, column, from);
      return -1;
    }
    const short = this.#mayRun ? this.#short : null;
    for (let row = from; row < rows; row++) {
      if (short !== null) row = short(block, column, row);
      if (row === rows) break;
      const cell = row * width + column;
      const end = ends[cell] as number;
      if (end < 0) this.#builder.appendNull();
      else if (!this.#long(bytes.toString('utf8', starts[cell], end), lines[row] as number)) return row;
    }
    return -1;
  }

  /** Numbers that are read in a run are not seen by the guess: whether one of them has a point decides what 1e5 is, and must be known by then. */
  get #mayRun(): boolean {
    return this.#guess === null || this.#type.kind !== 'float' || this.#guess.hasPoint;
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
    this.#short = shortRun(type, this.#builder, this.#notation.decimal);
  }
}

function fieldOf(name: string, type: ArrowType): Field {
  const metadata = type.kind === 'fixed-binary' ? uuidMetadata : [];
  return { name, nullable: true, type, children: [], dictionary: null, metadata };
}
