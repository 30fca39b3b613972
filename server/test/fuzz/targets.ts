import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BatchData } from '../../src/arrow/arrays/array-data.ts';
import { encodeSchema } from '../../src/arrow/ipc/schema-encoder.ts';
import { describeColumn } from '../../src/arrow/schema/column-types.ts';
import { dictionaryFields } from '../../src/arrow/schema/dictionary-fields.ts';
import { schemaOf, schemaRecord } from '../../src/arrow/schema/schema-record.ts';
import { convertStream } from '../../src/decode/convert/convert-stream.ts';
import { decodeUpload } from '../../src/decode/decode-upload.ts';
import { inspectUpload } from '../../src/decode/inspect-upload.ts';
import { csvFormat } from '../../src/encode/csv.ts';
import { jsonFormat } from '../../src/encode/json.ts';
import { renderText } from '../../src/encode/render-text.ts';
import type { RowBatch } from '../../src/encode/rows/row-batch.ts';
import { decodeFlightData } from '../../src/flight/flight-data.ts';
import { readHeader } from '../../src/flight/sql/parameters.ts';
import { FrameholdError } from '../../src/model/errors.ts';
import { bodyFault } from '../../src/parquet/body-fault.ts';
import { hasTrapped } from '../../src/parquet/parquet-fault.ts';
import type { CsvOptions, InspectRequest, UploadFormat } from '../../src/ports/codec.ts';
import { transcodePart } from '../../src/transcode/to-parquet/transcode-part.ts';
import { checkBytes, decodeStream } from '../arrow/stream-bytes.ts';
import { mutateMessages } from './mutate-messages.ts';
import { type Mutate, mutateBehind, mutateBytes, mutateText } from './mutations.ts';
import { otherSchema } from './other-schema.ts';
import type { Random } from './seeded-random.ts';

export const targetNames = [
  'arrow',
  'parquet',
  'arrow-file',
  'csv',
  'ndjson',
  'json',
  'flight',
  'convert',
] as const;
export type TargetName = (typeof targetNames)[number];

/** What a decoder made of a case: anything that is thrown instead is a finding. */
export type Verdict =
  | 'refused'
  | 'accepted'
  /** The Parquet library gave up: the case is refused, and its thread has to end, as a decoding thread does. */
  | 'trapped';

export interface Target {
  readonly mutate: Mutate;
  run(bytes: Uint8Array, random: Random): Promise<Verdict>;
}

/** As the check of an upload has them, but smaller: a case that needs more is refused, and not slow. */
const limits = { bodyBytesMax: 16 * 1024 * 1024, unpackedBytesMax: 64 * 1024 * 1024 };
/** Rows of an accepted case that are read: arrays without buffers may claim any number. */
const rowsMax = 500;
/** Columns of nulls may have any number of rows in a few bytes. */
const convertedBytesMax = 64 * 1024 * 1024;
/** One in so many accepted cases is also written as Parquet and read back. */
const transcodedShare = 100;

/** The real entry of each decoder, over files in the folder if it reads files. */
export function openTarget(name: TargetName, folder: string): Target {
  switch (name) {
    case 'arrow':
      return { mutate: mutateMessages, run: (bytes, random) => runStream(bytes, random, folder) };
    case 'flight':
      return { mutate: mutateBytes, run: runFlightData };
    case 'convert':
      return { mutate: mutateSome, run: (bytes, random) => runConversion(bytes, random, folder) };
    case 'parquet':
    case 'arrow-file':
      return { mutate: mutateBehind, run: (bytes, random) => runUpload(name, bytes, random, folder) };
    default:
      return { mutate: mutateText, run: (bytes, random) => runUpload(name, bytes, random, folder) };
  }
}

/** The check of an Arrow stream, then what reads streams that passed it. */
async function runStream(bytes: Uint8Array, random: Random, folder: string): Promise<Verdict> {
  const report = await refusable(async () => {
    try {
      return checkBytes(bytes, limits);
    } catch (thrown) {
      throw bodyFault(thrown, 'a valid Arrow IPC stream');
    }
  });
  if (report === null) return 'refused';
  await readBack(bytes, random);
  return random(transcodedShare) === 0 && report.value.rows <= rowsMax
    ? await transcode(bytes, folder)
    : 'accepted';
}

async function runUpload(
  format: UploadFormat,
  bytes: Uint8Array,
  random: Random,
  folder: string,
): Promise<Verdict> {
  const source = join(folder, 'upload');
  const target = join(folder, 'decoded.arrows');
  writeFileSync(source, bytes);
  const request = { format, source, target, csv: format === 'csv' ? csvOptions(random) : {} };
  const decoded = await refusable(() => decodeUpload(request, new AbortController().signal));
  if (format === 'csv' || format === 'ndjson' || format === 'json')
    await inspected({ ...request, format, partial: random(2) === 0 }, decoded !== null);
  if (hasTrapped()) return 'trapped';
  // What a decoder wrote is checked like a stream that was sent.
  return decoded === null ? 'refused' : await runStream(readFileSync(target), random, folder);
}

/** Most streams that are changed do not pass the check, and are never converted. */
const mutateSome: Mutate = (bytes, other, random) =>
  random(2) === 0 ? bytes : mutateMessages(bytes, other, random);

/** A stream that passed the check is appended to a frame with other types: what is written passes the check too, with as many rows. */
async function runConversion(bytes: Uint8Array, random: Random, folder: string): Promise<Verdict> {
  const checked = await refusable(async () => {
    try {
      return checkBytes(bytes, limits);
    } catch (thrown) {
      throw bodyFault(thrown, 'a valid Arrow IPC stream');
    }
  });
  if (checked === null) return 'refused';
  const schema = otherSchema(checked.value.schema, random);
  const [source, target] = [join(folder, 'added.arrows'), join(folder, 'converted.arrows')];
  writeFileSync(source, bytes);
  const record = schemaRecord(encodeSchema(schema), schema);
  try {
    dictionaryFields(schemaOf(record.message));
  } catch {
    // No frame has such a schema: it would not have passed the check.
    return 'refused';
  }
  const request = { source, target, schema: record, partFiles: [], targetBytesMax: convertedBytesMax };
  try {
    const { written } = await convertStream(request, new AbortController().signal);
    if (written) assert.equal(checkBytes(readFileSync(target)).rows, checked.value.rows);
    return 'accepted';
  } catch (thrown) {
    const kinds = ['schema_conflict', 'quota_exceeded', 'bad_body'];
    if (thrown instanceof FrameholdError && kinds.includes(thrown.kind)) return 'refused';
    throw thrown;
  }
}

/** What a caller may say of a text, at random: any of it may be wrong for the file. */
function csvOptions(random: Random): CsvOptions {
  if (random(2) === 0) return {};
  const one = <Value>(values: readonly Value[]) => values[random(values.length)] as Value;
  const given = {
    delimiter: one([undefined, undefined, ',', ';', '\t', '|']),
    nullText: one([undefined, 'NaN', '1']),
    decimal: one([undefined, ',', '.']),
    thousands: one([undefined, undefined, "'", ' ', '\u202f']),
    dates: one([undefined, 'dmy', 'mdy', 'ymd']),
    charset: one([undefined, undefined, 'windows-1252', 'iso-8859-1', 'utf-16', 'utf-16be']),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** A dry run finds a fault if and only if the put does; for a file that is cut off either may happen. */
async function inspected(request: InspectRequest, isGood: boolean): Promise<void> {
  const { problem } = await inspectUpload(request, new AbortController().signal);
  if (!request.partial && (problem === null) !== isGood)
    throw new Error(`the put is ${isGood ? 'taken' : 'refused'}, and the dry run says ${problem?.detail}`);
}

/** Runs on the main thread of the server: the message of a Flight call, and the header in it. */
async function runFlightData(bytes: Uint8Array, random: Random): Promise<Verdict> {
  const cut = random(bytes.length + 1);
  const data = await refusable(async () => decodeFlightData([bytes.subarray(0, cut), bytes.subarray(cut)]));
  if (data === null) return 'refused';
  return (await refusable(async () => readHeader(data.value.header))) === null ? 'refused' : 'accepted';
}

/** Null if the sender would get an error that says what is wrong with the bytes. */
async function refusable<Value>(work: () => Promise<Value>): Promise<{ readonly value: Value } | null> {
  try {
    return { value: await work() };
  } catch (thrown) {
    if (thrown instanceof FrameholdError && thrown.kind === 'bad_body') return null;
    throw thrown;
  }
}

/** As renderers read a held frame: decoded, and written as JSON or CSV. A row may be too long for text; nothing else may fail. */
async function readBack(stream: Uint8Array, random: Random): Promise<void> {
  const { schema, batches } = await decodeStream(stream, random(2) * 4);
  const columns = schema.fields.map(describeColumn);
  const format = random(4) === 0 ? csvFormat(columns) : jsonFormat('', columns, random(2) === 0);
  try {
    for await (const _chunk of renderText(format, firstRows(batches)));
  } catch (thrown) {
    if (!(thrown instanceof FrameholdError && thrown.kind === 'not_representable')) throw thrown;
  }
}

async function* firstRows(batches: readonly BatchData[]): AsyncGenerator<RowBatch, void, void> {
  for (const batch of batches) yield { batch, from: 0, to: Math.min(batch.length, rowsMax) };
}

async function transcode(stream: Uint8Array, folder: string): Promise<Verdict> {
  const source = join(folder, 'held.arrows');
  writeFileSync(source, stream);
  const sha256 = createHash('sha256').update(stream).digest('hex');
  const request = { source, sha256, targetDirectory: folder, targetPrefix: randomUUID() };
  await transcodePart(request, { algorithm: 'zstd', level: 3 }, new AbortController().signal);
  return hasTrapped() ? 'trapped' : 'accepted';
}
