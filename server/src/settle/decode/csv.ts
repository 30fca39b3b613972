import type { ArrowType, Field } from '../../arrow/field.ts';
import { encodeSchema } from '../../arrow/schema-encoder.ts';
import { FrameholdError } from '../../frames/errors.ts';
import type { DecodeRequest } from '../../frames/ports/codec.ts';
import { badBody, shown } from './bad-body.ts';
import { batchIsFull } from './batch-size.ts';
import { type CellParser, cellParser } from './cell-parser.ts';
import { type CellBuilder, cellBuilder } from './column-builder.ts';
import { ColumnGuess } from './column-guess.ts';
import { type CsvDialect, CsvRecords, type OnRecord } from './csv-records.ts';
import { forcedTypes, sqlTypeName } from './sql-type.ts';
import { StreamFile } from './stream-file.ts';
import { readText } from './text-reader.ts';
import { uuidMetadata } from './uuid-metadata.ts';

/** As many as Arrow streams may have; each has buffers of its own while rows are gathered. */
const columnsMax = 100_000;

/**
 * A CSV file as an Arrow stream. It is read twice: once to find the types out of all rows, once to write them. Every value comes back as it
 * was written: what would lose digits, zeros or anything else stays text.
 */
export async function decodeCsv(request: DecodeRequest, signal: AbortSignal): Promise<void> {
  const dialect = dialectOf(request);
  const { names, guesses } = await survey(request, dialect, signal);
  const forced = forcedTypes(request.csv.types, names);
  const fields = names.map((name, index): Field => {
    const type = forced.get(name) ?? (guesses[index] as ColumnGuess).type();
    return fieldOf(name, type);
  });
  await using target = await StreamFile.create(
    request.target,
    encodeSchema({ fields, metadata: [] }),
    request.targetBytesMax,
  );
  await writeRows(request, dialect, fields, target, signal);
  await target.end();
}

function dialectOf({ csv }: DecodeRequest): CsvDialect {
  const delimiter = csv.delimiter ?? ',';
  if (delimiter.length !== 1 || '"\r\n'.includes(delimiter) || delimiter.charCodeAt(0) > 126)
    throw new FrameholdError('bad_request', `delimiter= must be one character, not ${shown(delimiter)}.`, {
      hint: 'Use a comma, a semicolon, a tab (%09) or another ASCII character that is not a quote or a line end.',
    });
  return { delimiter, nullText: csv.nullText ?? '' };
}

function fieldOf(name: string, type: ArrowType): Field {
  const metadata = type.kind === 'fixed-binary' ? uuidMetadata : [];
  return { name, nullable: true, type, children: [], dictionary: null, metadata };
}

async function survey(
  request: DecodeRequest,
  dialect: CsvDialect,
  signal: AbortSignal,
): Promise<{ names: readonly string[]; guesses: readonly ColumnGuess[] }> {
  let names: string[] | null = null;
  let guesses: ColumnGuess[] = [];
  await eachRecord(request.source, dialect, signal, (fields) => {
    if (names === null) {
      if (fields.length > columnsMax)
        throw badBody(`The first line has ${fields.length} columns; at most ${columnsMax} are accepted.`);
      names = fields.map((field) => field ?? '');
      if (names.length === 1 && names[0] === '')
        throw badBody('The first line is empty: a CSV begins with a line of column names.');
      guesses = fields.map(() => new ColumnGuess());
      // Unknown names and types are refused before the rest is read.
      forcedTypes(request.csv.types, names);
      return;
    }
    for (let index = 0; index < fields.length; index++) {
      const field = fields[index];
      if (field !== null && field !== undefined) (guesses[index] as ColumnGuess).add(field);
    }
  });
  if (names === null) throw badBody('The file is empty: a CSV begins with a line of column names.');
  return { names, guesses };
}

interface Column {
  readonly builder: CellBuilder;
  readonly parse: CellParser;
}

async function writeRows(
  request: DecodeRequest,
  dialect: CsvDialect,
  fields: readonly Field[],
  target: StreamFile,
  signal: AbortSignal,
): Promise<void> {
  const columns: Column[] = fields.map((field) => ({
    builder: cellBuilder(field),
    parse: cellParser(field.type),
  }));
  let rows = 0;
  let header = true;
  const flush = async () => {
    if (rows > 0)
      await target.batch(
        rows,
        columns.map((column) => column.builder.take()),
      );
    rows = 0;
  };
  const onRecord: OnRecord = (cells, line) => {
    if (header) {
      header = false;
      return;
    }
    for (let index = 0; index < columns.length; index++) {
      const { builder, parse } = columns[index] as Column;
      const text = cells[index];
      if (text === null || text === undefined) {
        builder.appendNull();
        continue;
      }
      const value = parse(text);
      if (value === undefined) throw doesNotFit(builder.field, line, text);
      builder.append(value);
    }
    rows++;
  };
  const builders = columns.map((column) => column.builder);
  await eachRecord(request.source, dialect, signal, onRecord, async () => {
    if (batchIsFull(rows, builders)) await flush();
  });
  await flush();
}

function doesNotFit(field: Field, line: number, text: string): Error {
  return badBody(
    `Line ${line}, column ${shown(field.name)}: ${shown(text)} is not a ${sqlTypeName(field.type)}.`,
    'Ask for another type with types=, or for none to have it found.',
  );
}

/** Calls `onRecord` for the header and for every row, all of the same length; `between` after each piece of the file. */
async function eachRecord(
  source: string,
  dialect: CsvDialect,
  signal: AbortSignal,
  onRecord: OnRecord,
  between: () => Promise<void> = async () => {},
): Promise<void> {
  let width = 0;
  const records = new CsvRecords(dialect, (fields, line) => {
    if (width === 0) width = fields.length;
    // An empty line is a null in a file with one column, and nothing in others.
    else if (width > 1 && fields.length === 1 && fields[0] === null) return;
    else if (fields.length !== width)
      throw badBody(`Line ${line} has ${fields.length} fields, the header has ${width}.`);
    onRecord(fields, line);
  });
  for await (const text of readText(source, signal)) {
    records.push(text);
    await between();
  }
  records.end();
}
