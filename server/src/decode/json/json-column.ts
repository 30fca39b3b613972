import type { ArrowType, Field } from '../../arrow/field.ts';
import { cellBuilder } from '../cells/cell-builder.ts';
import { type CellParser, cellParser } from '../cells/cell-parser.ts';
import type { CellBuilder, ColumnBuilder } from '../cells/column-builder.ts';
import { type ShortRun, shortRun } from '../cells/short-run.ts';
import { TextBuilder } from '../cells/text-builder.ts';
import { frameParser } from '../frame-columns.ts';
import { IrregularJson } from './irregular-json.ts';
import { JsonNumber, type JsonValue, parseJson } from './json-parser.ts';
import { type JsonBlock, jsonKinds } from './json-scanner.ts';
import type { FieldBudget, JsonShape } from './json-shape.ts';
import { type Column, columnOf, forcedField, plainText } from './value-columns.ts';

/** One column while blocks of JSON are read into it. */
export interface JsonColumn {
  readonly builder: ColumnBuilder;
  /** Looks at the column's values before any is read. */
  survey(block: JsonBlock, column: number): void;
  /** Appends the column's cells. False if it has become another type: what was appended before is void then. */
  read(block: JsonBlock, column: number): boolean;
}

/** A column whose type is what all its values so far have in common. */
export class FoundColumn implements JsonColumn {
  readonly #name: string;
  readonly #shape: JsonShape;
  readonly #budget: FieldBudget;
  #field: Field;
  #column: Column;
  #run: ShortRun | null = null;
  #hasRun = false;

  constructor(name: string, shape: JsonShape, budget: FieldBudget) {
    this.#name = name;
    this.#shape = shape;
    this.#budget = budget;
    this.#field = shape.field(name);
    this.#column = columnOf(this.#field);
  }

  get builder(): ColumnBuilder {
    return this.#column.builder;
  }

  survey(block: JsonBlock, column: number): void {
    this.#addFrom(block, column, 0);
    this.#become(this.#shape.field(this.#name));
  }

  read(block: JsonBlock, column: number): boolean {
    const { rows, width, ends } = block;
    const { builder } = this.#column;
    const kinds = block.kinds[column] as number;
    if (
      builder instanceof TextBuilder &&
      (kinds === 0 || (kinds === jsonKinds.string && this.#shape.isString))
    ) {
      builder.appendCells(block, column, 0);
      return true;
    }
    const run = kinds === jsonKinds.number || kinds === jsonKinds.boolean ? this.#run : null;
    for (let row = 0; row < rows; row++) {
      if (run !== null) row = run(block, column, row);
      if (row === rows) break;
      const cell = row * width + column;
      if ((ends[cell] as number) < 0) builder.appendNull();
      else if (!this.#append(valueAt(block, cell))) {
        this.#addFrom(block, column, row + 1);
        this.#become(this.#shape.field(this.#name));
        return false;
      }
    }
    this.#hasRun ||= run !== null;
    return true;
  }

  #append(value: JsonValue): boolean {
    const { revision } = this.#budget;
    this.#shape.add(value, 0);
    if (revision !== this.#budget.revision && !isSameField(this.#shape.field(this.#name), this.#field))
      return false;
    this.#column.append(value, 0);
    return true;
  }

  #addFrom(block: JsonBlock, column: number, from: number): void {
    const { rows, width, ends } = block;
    for (let row = from, cell = from * width + column; row < rows; row++, cell += width)
      if ((ends[cell] as number) >= 0) this.#shape.add(valueAt(block, cell), 0);
  }

  #become(field: Field): void {
    // Numbers that were read in a run are not in the shape, which must know whether one is negative.
    if (this.#hasRun && field.type.kind === 'int' && !field.type.signed)
      throw new IrregularJson('a whole number of 64 bits behind others');
    this.#field = field;
    this.#column = columnOf(field);
    const { builder } = this.#column;
    this.#run = field.children.length > 0 ? null : shortRun(field.type, builder as CellBuilder, '.');
  }
}

/** A column whose type was asked for, or is that of the frame. */
export class AskedColumn implements JsonColumn {
  readonly builder: CellBuilder;
  readonly #parse: CellParser;
  readonly #run: ShortRun | null;
  /** Texts of a frame are strings only. */
  readonly #stringsOnly: boolean;

  constructor(name: string, type: ArrowType, ofFrame: boolean) {
    this.builder = cellBuilder(forcedField(name, type));
    this.#parse = ofFrame ? frameParser(type) : cellParser(type);
    this.#run = shortRun(type, this.builder, '.');
    this.#stringsOnly = ofFrame && type.kind === 'utf8';
  }

  survey(): void {}

  read(block: JsonBlock, column: number): boolean {
    const { rows, width, ends } = block;
    const kinds = block.kinds[column] as number;
    if (this.#stringsOnly && (kinds & ~jsonKinds.string) !== 0) throw new IrregularJson('not a string');
    if (this.builder instanceof TextBuilder && (kinds & jsonKinds.nested) === 0) {
      this.builder.appendCells(block, column, 0);
      return true;
    }
    for (let row = 0; row < rows; row++) {
      if (this.#run !== null) row = this.#run(block, column, row);
      if (row === rows) break;
      const cell = row * width + column;
      if ((ends[cell] as number) < 0) this.builder.appendNull();
      else {
        const value = this.#parse(plainText(valueAt(block, cell)));
        if (value === undefined) throw new IrregularJson('a value that does not fit its type');
        this.builder.append(value);
      }
    }
    return true;
  }
}

/** The value of a cell that is not null. */
function valueAt({ bytes, starts, ends }: JsonBlock, cell: number): JsonValue {
  const start = starts[cell] as number;
  const text = bytes.toString('utf8', start, ends[cell]);
  if (bytes[start - 1] === 0x22) return text;
  const first = text[0];
  if (first === 't' || first === 'f') return first === 't';
  return first === '{' || first === '[' ? parseJson(text, 0, 0, 1) : new JsonNumber(text);
}

function isSameField(a: Field, b: Field): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
