import { open } from 'node:fs/promises';
import type { ArrayData, BatchData } from '../../arrow/arrays/array-data.ts';
import { readBatch } from '../../arrow/batches/batch.ts';
import { encodeDictionaryHeader } from '../../arrow/batches/batch-encoder.ts';
import { planBatch } from '../../arrow/batches/batch-layout.ts';
import { Dictionaries } from '../../arrow/batches/dictionaries.ts';
import type { Field, Schema } from '../../arrow/field.ts';
import { fileSource } from '../../arrow/ipc/file-source.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { MessageReader, readBody } from '../../arrow/ipc/message-reader.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import { compareSchemas } from '../../arrow/schema/schema-difference.ts';
import { schemaOf } from '../../arrow/schema/schema-record.ts';
import { StreamFile } from '../../arrow/stream-file.ts';
import type { ConvertReport, ConvertRequest } from '../../ports/codec.ts';
import { convertBatch } from './convert-batch.ts';
import { hasDictionary } from './convertible.ts';
import type { DictionaryEncoder } from './dictionary-encoder.ts';
import { encodedFields, frameEncoders } from './frame-dictionaries.ts';
import { planConversion } from './plan-conversion.ts';
import { ValueRefused } from './value-refused.ts';

/**
 * Copies an Arrow stream that was checked, with the columns, types and dictionaries of a frame. Every value is the same as before;
 * schema_conflict names the first that the frame's type does not have.
 */
export async function convertStream(request: ConvertRequest, signal: AbortSignal): Promise<ConvertReport> {
  const frame = schemaOf(request.schema.message);
  const encoders = await frameEncoders(frame, request.partFiles, signal);
  const added = await streamSchema(request.source);
  if (
    compareSchemas(frame, added).difference === null &&
    (await sameOrders(request.source, frame, encoders, signal))
  )
    return { written: false };
  const { places, schema } = planConversion(frame, added);
  const encoded = schema.fields.map((field) => field.dictionary !== null || hasDictionary(field));
  const onlyEncoded = places.filter((_, index) => encoded[index]);
  const inOrder = ({ length, columns }: BatchData, chosen: readonly number[]): BatchData => ({
    length,
    columns: chosen.map((place) => columns[place] as ArrayData),
  });
  try {
    // First the values of all dictionaries, so that each is written once, before the rows.
    if (onlyEncoded.length > 0) {
      const fields = schema.fields.filter((_, index) => encoded[index]);
      for await (const { batch, rowsBefore } of batchesOf(request.source, signal))
        for (const _piece of convertBatch(inOrder(batch, onlyEncoded), fields, rowsBefore, encoders));
    }
  } catch (thrown) {
    // A column without a dictionary may have a value before it that does not fit: that one is reported.
    if (!(thrown instanceof ValueRefused)) throw thrown;
  }
  await using target = await StreamFile.create(request.target, encodeSchema(schema), request.targetBytesMax);
  for (const id of encodedFields(schema).keys()) await writeDictionary(target, id, encoders);
  for await (const { batch, rowsBefore } of batchesOf(request.source, signal))
    for (const piece of convertBatch(inOrder(batch, places), schema.fields, rowsBefore, encoders)) {
      signal.throwIfAborted();
      await target.batch(piece.length, piece.columns);
    }
  await target.end();
  return { written: true };
}

async function streamSchema(path: string): Promise<Schema> {
  await using file = await open(path);
  const first = await new MessageReader(fileSource(file)).next();
  if (first === null) throw new Error('a stream without schema');
  return schemaOf(first.header);
}

async function* batchesOf(
  path: string,
  signal: AbortSignal,
): AsyncGenerator<{ readonly batch: BatchData; readonly rowsBefore: number }, void, void> {
  await using file = await open(path);
  const reader = new MessageReader(fileSource(file));
  const first = await reader.next();
  if (first === null) return;
  const schema = schemaOf(first.header);
  const dictionaries = new Dictionaries(schema);
  let rowsBefore = 0;
  for (let message = await reader.next(); message !== null; message = await reader.next()) {
    signal.throwIfAborted();
    const parsed = parseMessage(message.header);
    const body = await readBody(message);
    if (parsed.kind === 'dictionary') dictionaries.add(parsed, body);
    else if (parsed.kind === 'record-batch') {
      const batch = readBatch(schema.fields, parsed.batch, body, dictionaries.current());
      yield { batch, rowsBefore };
      rowsBefore += batch.length;
    }
  }
}

/** Whether the ordered dictionaries of a stream, whose columns are the frame's, have the frame's values in its order. */
async function sameOrders(
  path: string,
  frame: Schema,
  encoders: ReadonlyMap<bigint, DictionaryEncoder>,
  signal: AbortSignal,
): Promise<boolean> {
  await using file = await open(path);
  const reader = new MessageReader(fileSource(file));
  const first = await reader.next();
  if (first === null) return true;
  const schema = schemaOf(first.header);
  const dictionaries = new Dictionaries(schema);
  const ordered = orderedIds(schema.fields, frame.fields);
  for (let message = await reader.next(); message !== null; message = await reader.next()) {
    signal.throwIfAborted();
    const parsed = parseMessage(message.header);
    if (parsed.kind !== 'dictionary') continue;
    dictionaries.add(parsed, await readBody(message));
    const encoder = encoders.get(ordered.get(parsed.id) ?? -1n);
    const values = dictionaries.current().get(parsed.id);
    if (encoder !== undefined && values !== undefined && !encoder.beginsWith(values)) return false;
  }
  return true;
}

/** Ids of the stream's ordered dictionaries, and those that the frame has for them. */
function orderedIds(own: readonly Field[], frame: readonly Field[]): Map<bigint, bigint> {
  const ids = new Map<bigint, bigint>();
  const visit = (field: Field, other: Field): void => {
    if (field.dictionary?.ordered === true && other.dictionary !== null && field.children.length === 0)
      ids.set(field.dictionary.id, other.dictionary.id);
    for (const [index, child] of field.children.entries()) visit(child, other.children[index] as Field);
  };
  for (const [index, field] of own.entries()) visit(field, frame[index] as Field);
  return ids;
}

async function writeDictionary(
  target: StreamFile,
  id: bigint,
  encoders: ReadonlyMap<bigint, DictionaryEncoder>,
): Promise<void> {
  const values = (encoders.get(id) as DictionaryEncoder).values();
  const plan = planBatch(values.length, [values]);
  const body = new Uint8Array(plan.layout.bodyBytes);
  plan.write(body);
  await target.message(encodeDictionaryHeader(id, false, plan.layout), body);
}
