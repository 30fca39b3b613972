import { type ErrorKind, FrameholdError } from '../model/errors.ts';
import { bodyFault } from '../parquet/body-fault.ts';
import type { InspectReport, InspectRequest } from '../ports/codec.ts';
import { sqlTypeName } from './cells/sql-type.ts';
import { CsvReading } from './csv/csv.ts';
import type { CsvBlock } from './csv/csv-scanner.ts';
import { textColumns } from './frame-columns.ts';
import { jsonText } from './json/json-parser.ts';
import { inferJsonFields, readJson } from './json/ndjson.ts';
import { TextFile } from './text-reader.ts';

/** First rows that are shown; fewer of a wide file. */
const rowsMax = 10;
const cellsMax = 10_000;
/** Of a cell that is shown: longer ones are cut. */
const charactersMax = 200;

/** Faults of the rows, which a put would end with. */
const problems: readonly ErrorKind[] = ['bad_body', 'schema_conflict'];

type Found = Omit<InspectReport, 'format' | 'partial' | 'problem'>;

/** What a decoder finds in a text. What is wrong with it is part of the answer, with what was found before that. */
export async function inspectUpload(request: InspectRequest, signal: AbortSignal): Promise<InspectReport> {
  const { format, partial } = request;
  await using file = await TextFile.open(request.source, request.csv.charset);
  let found: Found = { text: { charset: file.charset }, columns: [], rows: [], rowCount: 0 };
  let problem: InspectReport['problem'] = null;
  try {
    const inspect = format === 'csv' ? inspectCsv : inspectJson;
    for await (const more of inspect(file, request, signal)) found = more;
  } catch (thrown) {
    const fault = bodyFault(thrown, 'readable');
    if (!(fault instanceof FrameholdError) || !problems.includes(fault.kind)) throw fault;
    problem = { detail: fault.message, ...(fault.hint === undefined ? {} : { hint: fault.hint }) };
  }
  return { format, partial, ...found, problem };
}

async function* inspectCsv(
  file: TextFile,
  request: InspectRequest,
  signal: AbortSignal,
): AsyncGenerator<Found, void, void> {
  const reading = await CsvReading.begin(file, request, signal);
  const { text = { charset: file.charset } } = reading.report();
  const rows: (string | null)[][] = [];
  let rowCount = 0;
  const found = (): Found => ({
    text,
    columns: reading.columns.map((column) => ({
      name: column.name,
      type: sqlTypeName(column.type),
      why: column.isAsked ? askedBy(request, column.name) : whyOf(column.cause),
    })),
    rows,
    rowCount,
  });
  for await (const block of reading.blocks(signal)) {
    collectRows(block, rows);
    // Shown even if a row of this very block is the problem.
    if (rowCount === 0) yield found();
    reading.take(block);
    for (const column of reading.columns) column.builder.take();
    rowCount += block.rows;
  }
  yield found();
}

function askedBy({ csv }: InspectRequest, name: string): string {
  return Object.hasOwn(csv.types ?? {}, name) ? 'asked for with types=' : 'the type of the frame';
}

function whyOf(cause: { readonly text: string; readonly line: number } | null): string {
  return cause === null ? 'no value' : `line ${cause.line} has ${JSON.stringify(cut(cause.text))}`;
}

function collectRows(block: CsvBlock, rows: (string | null)[][]): void {
  const { bytes, starts, ends, width } = block;
  for (let row = 0; row < block.rows && rows.length < rowsMax && rows.length * width < cellsMax; row++) {
    const cells: (string | null)[] = [];
    for (let cell = row * width; cell < (row + 1) * width; cell++) {
      const end = ends[cell] as number;
      cells.push(end < 0 ? null : cut(bytes.toString('utf8', starts[cell], end)));
    }
    rows.push(cells);
  }
}

async function* inspectJson(
  file: TextFile,
  request: InspectRequest,
  signal: AbortSignal,
): AsyncGenerator<Found, void, void> {
  const rows: string[] = [];
  let rowCount = 0;
  const text = { charset: file.charset };
  yield { text, columns: [], rows, rowCount };
  const fields = await inferJsonFields(file, request, signal, (row) => {
    rowCount++;
    if (rows.length < rowsMax) rows.push(cut(jsonText(row)));
  });
  const ofFrame = new Set(textColumns(request.frame));
  const asked = request.csv.types ?? {};
  const columns = fields.map(({ name, type }) => ({
    name,
    type: sqlTypeName(type),
    why:
      Object.hasOwn(asked, name) || ofFrame.has(name)
        ? askedBy(request, name)
        : 'what its values have in common',
  }));
  yield { text, columns, rows, rowCount };
  // Only now are values read that must fit a type.
  await readJson(file, request, fields, async () => {}, signal);
}

function cut(text: string): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}…` : text;
}
