import type { ArrowType } from '../../arrow/field.ts';
import type { DecodeRequest } from '../../ports/codec.ts';
import { forcedTypes } from '../cells/sql-type.ts';
import { FrameColumns } from '../frame-columns.ts';
import { TextBuffer } from '../text-buffer.ts';
import type { TextFile } from '../text-reader.ts';
import type { BlockReading } from '../write-rows.ts';
import { IrregularJson } from './irregular-json.ts';
import { AskedColumn, FoundColumn, type JsonColumn } from './json-column.ts';
import { type JsonBlock, JsonScanner, scanSlack } from './json-scanner.ts';
import { FieldBudget, JsonShape } from './json-shape.ts';

/** A longer row is not read in blocks: its values might be more than a row may have. */
const rowBytesMax = 1024 * 1024;
/** How often a row behind the first piece may have a new key. Each ends a block, and a block costs something for every column. */
const widenedMax = 64;
/** Fields inside of columns. With more, it costs less to find that a row is refused before anything is written. */
const innerFieldsMax = 1_000;

type JsonRequest = Pick<DecodeRequest, 'format' | 'csv' | 'frame'>;

/** JSON that is read in blocks, as long as it is regular: else IrregularJson. */
export class JsonReading implements BlockReading<JsonBlock> {
  readonly #file: TextFile;
  readonly #request: JsonRequest;
  readonly #budget = new FieldBudget();
  readonly #columns: JsonColumn[] = [];
  #names: readonly string[] = [];
  #widened = 0;

  constructor(file: TextFile, request: JsonRequest) {
    this.#file = file;
    this.#request = request;
  }

  get columns(): readonly JsonColumn[] {
    return this.#columns;
  }

  async *blocks(signal: AbortSignal): AsyncGenerator<JsonBlock, void, void> {
    const text = new TextBuffer(scanSlack);
    let scanner: JsonScanner | null = null;
    for await (const piece of this.#file.utf8(signal)) {
      text.add(piece);
      scanner ??= this.#informed(text, false);
      text.drop(yield* this.#scanned(scanner, text, false));
      if (text.filled > rowBytesMax) throw new IrregularJson('a row that is long or cannot be read');
    }
    scanner ??= this.#informed(text, true);
    const end = yield* this.#scanned(scanner, text, true);
    if (end < text.filled || !scanner.isWhole || this.#columns.length === 0)
      throw new IrregularJson('an end that cannot be read');
    // Only now are all columns known.
    forcedTypes(this.#request.csv.types, scanner.names);
  }

  take(block: JsonBlock): boolean {
    const known = this.#columns.length;
    this.#addColumns(block);
    let isRight = this.#columns.length === known;
    for (let index = 0; index < this.#columns.length; index++)
      if (!(this.#columns[index] as JsonColumn).read(block, index)) isRight = false;
    this.#refuseManyFields();
    return isRight;
  }

  #refuseManyFields(): void {
    if (this.#budget.fields > innerFieldsMax) throw new IrregularJson('many fields');
  }

  /** A scanner that knows the keys of this text: one that comes with a later row would change the columns. */
  #informed({ bytes, filled }: TextBuffer, last: boolean): JsonScanner {
    const format = this.#request.format === 'json' ? 'json' : 'ndjson';
    const first = new JsonScanner(format, this.#names);
    for (let from = 0, hasMore = true; hasMore; )
      ({ next: from, hasMore } = first.scan(bytes, from, filled, last));
    return new JsonScanner(format, first.names);
  }

  /** Answers where the rows end. */
  *#scanned(scanner: JsonScanner, text: TextBuffer, last: boolean): Generator<JsonBlock, number, void> {
    let end = 0;
    for (let hasMore = true; hasMore; ) {
      const scan = scanner.scan(text.bytes, end, text.filled, last);
      ({ next: end, hasMore } = scan);
      this.#names = scanner.names;
      if (scan.block.rows === 0) continue;
      if (scan.block.width === 0) throw new IrregularJson('rows before the first column');
      scanner.unescape(scan.block);
      if (this.#columns.length === 0) this.#addColumns(scan.block);
      yield scan.block;
    }
    return end;
  }

  #addColumns(block: JsonBlock): void {
    const from = this.#columns.length;
    if (from === block.width) return;
    const { csv, frame } = this.#request;
    if (frame !== undefined && from > 0) throw new IrregularJson('a column of a frame that comes later');
    if (from > 0 && ++this.#widened > widenedMax) throw new IrregularJson('ever new keys');
    const asked = forcedTypes(
      csv.types,
      csv.types === undefined ? [] : [...this.#names, ...Object.keys(csv.types)],
    );
    const frameTypes = FrameColumns.of(frame, this.#names).types;
    for (let index = from; index < block.width; index++) {
      const column = this.#column(this.#names[index] as string, asked, frameTypes[index] ?? null);
      column.survey(block, index);
      this.#columns.push(column);
      this.#refuseManyFields();
    }
  }

  #column(name: string, asked: ReadonlyMap<string, ArrowType>, ofFrame: ArrowType | null): JsonColumn {
    const type = asked.get(name) ?? ofFrame;
    if (type !== null) return new AskedColumn(name, type, !asked.has(name));
    return new FoundColumn(name, new JsonShape(name, this.#budget), this.#budget);
  }
}
