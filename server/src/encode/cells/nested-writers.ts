import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import type { ArrowType } from '../../arrow/field.ts';
import { valueField } from '../../model/types/column-names.ts';
import { isText } from '../../model/types/type-table.ts';
import type { CellStyle } from './cell-style.ts';
import { CellWriter, viewOf } from './cell-writer.ts';
import { Spans } from './spans.ts';
import type { TextBuffer } from './text-buffer.ts';
import { quoteWritten } from './text-bytes.ts';

/** Nested values are JSON in every format. */

const comma = 44;
const openBracket = 91;
const closeBracket = 93;
const closeBrace = 125;
const openBrace = 123;
const colon = 58;
/** What an element can take beyond what its writer says: a null, and a comma before it. */
const besideElement = 5;
const encoder = new TextEncoder();

/** A JSON value as a field of CSV. */
export class CsvNestedWriter extends CellWriter {
  readonly bytesMax: number;
  readonly #json: CellWriter;

  constructor(data: ArrayData, json: CellWriter, style: CellStyle) {
    super(data, style);
    this.#json = json;
    this.bytesMax = json.bytesMax;
  }

  write(out: TextBuffer, row: number): void {
    const start = out.at;
    this.#json.write(out, row);
    quoteWritten(out, start);
  }
}

abstract class ArrayWriter extends CellWriter {
  readonly bytesMax = 0;
  readonly #elements: CellWriter;

  constructor(data: ArrayData, elements: CellWriter, style: CellStyle) {
    super(data, style);
    this.#elements = elements;
  }

  protected putArray(out: TextBuffer, start: number, end: number): void {
    const elements = this.#elements;
    const elementBytes = elements.bytesMax + besideElement;
    out.putOne(openBracket);
    for (let element = start; element < end; element++) {
      out.reserve(elementBytes);
      if (element > start) out.bytes[out.at++] = comma;
      elements.cell(out, element);
    }
    out.putOne(closeBracket);
  }
}

export class ListWriter extends ArrayWriter {
  readonly #spans: Spans;

  constructor(large: boolean, data: ArrayData, elements: CellWriter, style: CellStyle) {
    super(data, elements, style);
    this.#spans = new Spans(data.buffers[0] as Uint8Array, large);
  }

  write(out: TextBuffer, row: number): void {
    this.putArray(out, this.#spans.start(row), this.#spans.start(row + 1));
  }
}

export class FixedListWriter extends ArrayWriter {
  readonly #size: number;

  constructor(size: number, data: ArrayData, elements: CellWriter, style: CellStyle) {
    super(data, elements, style);
    this.#size = size;
  }

  write(out: TextBuffer, row: number): void {
    this.putArray(out, row * this.#size, (row + 1) * this.#size);
  }
}

/** Rows may share elements, be in any order and leave gaps. */
export class ListViewWriter extends ArrayWriter {
  readonly #starts: Spans;
  readonly #sizes: Spans;

  constructor(large: boolean, data: ArrayData, elements: CellWriter, style: CellStyle) {
    super(data, elements, style);
    this.#starts = new Spans(data.buffers[0] as Uint8Array, large);
    this.#sizes = new Spans(data.buffers[1] as Uint8Array, large);
  }

  write(out: TextBuffer, row: number): void {
    const size = this.#sizes.start(row);
    const start = size === 0 ? 0 : this.#starts.start(row);
    this.putArray(out, start, start + size);
  }
}

/** Members in the schema's order, as an object; if a name occurs twice (JSON readers would keep one of them) as an array of pairs. */
export class StructWriter extends CellWriter {
  readonly bytesMax = 0;
  readonly #members: readonly CellWriter[];
  readonly #before: readonly Uint8Array[];
  /** What each takes with what is before it and, of a pair, behind it. */
  readonly #memberBytes: readonly number[];
  readonly #asObject: boolean;

  constructor(data: ArrayData, members: readonly CellWriter[], style: CellStyle) {
    super(data, style);
    const names = data.children.map((child) => child.field.name);
    const asObject = new Set(names).size === names.length;
    this.#asObject = asObject;
    this.#members = members;
    this.#before = names.map((name, index) => encoder.encode(memberStart(name, index === 0, asObject)));
    this.#memberBytes = members.map(
      ({ bytesMax }, index) => bytesMax + besideElement + (this.#before[index] as Uint8Array).length,
    );
  }

  write(out: TextBuffer, row: number): void {
    const asObject = this.#asObject;
    out.putOne(asObject ? openBrace : openBracket);
    for (let index = 0; index < this.#members.length; index++) {
      out.reserve(this.#memberBytes[index] as number);
      out.put(this.#before[index] as Uint8Array);
      (this.#members[index] as CellWriter).cell(out, row);
      if (!asObject) out.putOne(closeBracket);
    }
    out.putOne(asObject ? closeBrace : closeBracket);
  }
}

function memberStart(name: string, isFirst: boolean, asObject: boolean): string {
  const text = JSON.stringify(name);
  return `${isFirst ? '' : ','}${asObject ? `${text}:` : `[${text},`}`;
}

/**
 * An object if keys are strings. If they are not, or if a cell has a key twice (JSON readers would keep only one of them), an array of pairs.
 */
export class MapWriter extends CellWriter {
  readonly bytesMax = 0;
  readonly #spans: Spans;
  readonly #keys: CellWriter;
  readonly #values: CellWriter;
  readonly #hasTextKeys: boolean;

  constructor(data: ArrayData, keys: CellWriter, values: CellWriter, style: CellStyle) {
    super(data, style);
    this.#spans = new Spans(data.buffers[0] as Uint8Array, false);
    this.#keys = keys;
    this.#values = values;
    const [entries] = data.children as [ArrayData];
    this.#hasTextKeys = isText(valueField((entries.children[0] as ArrayData).field).type);
  }

  write(out: TextBuffer, row: number): void {
    const start = this.#spans.start(row);
    const end = this.#spans.start(row + 1);
    const begin = out.at;
    if (this.#hasTextKeys && this.#putObject(out, start, end)) return;
    out.at = begin;
    this.#putPairs(out, start, end);
  }

  /** False if it cannot be one; what was written does not count then. */
  #putObject(out: TextBuffer, start: number, end: number): boolean {
    const seen = new Set<string>();
    out.putOne(openBrace);
    for (let entry = start; entry < end; entry++) {
      if (entry > start) out.putOne(comma);
      const keyStart = out.at;
      this.#keys.reservedCell(out, entry);
      const key = out.bytes.toString('latin1', keyStart, out.at);
      if (key === 'null' || seen.has(key)) return false;
      if (end - start > 1) seen.add(key);
      out.putOne(colon);
      this.#values.reservedCell(out, entry);
    }
    out.putOne(closeBrace);
    return true;
  }

  #putPairs(out: TextBuffer, start: number, end: number): void {
    out.putOne(openBracket);
    for (let entry = start; entry < end; entry++) {
      if (entry > start) out.putOne(comma);
      out.putOne(openBracket);
      this.#keys.reservedCell(out, entry);
      out.putOne(comma);
      this.#values.reservedCell(out, entry);
      out.putOne(closeBracket);
    }
    out.putOne(closeBracket);
  }
}

/** An object of one member, named after the child that holds the value. */
export class UnionWriter extends CellWriter {
  readonly bytesMax = 0;
  readonly #typeIds: DataView;
  /** Of a dense union: where in its child a row's value is. */
  readonly #slots: DataView | null;
  readonly #children: ReadonlyMap<number, { readonly before: Uint8Array; readonly values: CellWriter }>;

  constructor(
    { mode, typeIds }: Extract<ArrowType, { kind: 'union' }>,
    data: ArrayData,
    children: readonly CellWriter[],
    style: CellStyle,
  ) {
    super(data, style);
    this.#typeIds = viewOf(data.buffers[0] as Uint8Array);
    this.#slots = mode === 'dense' ? viewOf(data.buffers[1] as Uint8Array) : null;
    this.#children = new Map(
      typeIds.map((typeId, index) => {
        const name = (data.children[index] as ArrayData).field.name;
        const before = encoder.encode(`{${JSON.stringify(name)}:`);
        return [typeId, { before, values: children[index] as CellWriter }];
      }),
    );
  }

  write(out: TextBuffer, row: number): void {
    const typeId = this.#typeIds.getInt8(row);
    const child = this.#children.get(typeId);
    if (child === undefined) throw new Error(`a union has no type ${typeId}`);
    out.reserve(child.before.length);
    out.put(child.before);
    child.values.reservedCell(out, this.#slots === null ? row : this.#slots.getInt32(row * 4, true));
    out.putOne(closeBrace);
  }
}
