import { open } from 'node:fs/promises';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { emptyArray } from '../../arrow/arrays/empty-array.ts';
import { readBatch } from '../../arrow/batches/batch.ts';
import { encodeDictionaryHeader } from '../../arrow/batches/batch-encoder.ts';
import { planBatch } from '../../arrow/batches/batch-layout.ts';
import type { Field, Schema } from '../../arrow/field.ts';
import { fileSource } from '../../arrow/ipc/file-source.ts';
import { type DictionaryMessage, parseMessage } from '../../arrow/ipc/message.ts';
import { MessageReader, readBody } from '../../arrow/ipc/message-reader.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import { dictionaryFields } from '../../arrow/schema/dictionary-fields.ts';
import { schemaOf } from '../../arrow/schema/schema-record.ts';
import { StreamFile } from '../../arrow/stream-file.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { SchemaRecord } from '../../model/version.ts';

/**
 * Copies a stream and gives its dictionaries the ids that another schema with the same columns has. Record batches stay as they
 * are; dictionaries are written anew, without compression.
 */
export async function renumberStream(
  source: string,
  target: string,
  schema: SchemaRecord,
  signal: AbortSignal,
): Promise<void> {
  await using file = await open(source);
  const reader = new MessageReader(fileSource(file));
  const first = await reader.next();
  if (first === null) throw new Error('a stream without schema');
  const ownSchema = schemaOf(first.header);
  const wantedSchema = schemaOf(schema.message);
  const targets = dictionaryTargets(ownSchema, wantedSchema);
  const fields = dictionaryFields(ownSchema);
  // Values inside values are indices here, and stay what they are: what they point to does not matter.
  const anyValues = new Map([...fields].map(([id, { field }]) => [id, emptyArray(field)]));
  await using copy = await StreamFile.create(target, encodeSchema(withIds(ownSchema, wantedSchema)));
  for (let message = await reader.next(); message !== null; message = await reader.next()) {
    signal.throwIfAborted();
    const body = await readBody(message);
    const parsed = parseMessage(message.header);
    if (parsed.kind !== 'dictionary') {
      await copy.message(message.header, body);
      continue;
    }
    const values = valuesOf(parsed, body, fields.get(parsed.id)?.field, anyValues);
    for (const id of targets.get(parsed.id) ?? []) {
      const plan = planBatch(values.length, [values]);
      const copied = new Uint8Array(plan.layout.bodyBytes);
      plan.write(copied);
      await copy.message(encodeDictionaryHeader(id, parsed.delta, plan.layout), copied);
    }
  }
  await copy.end();
}

/** Own dictionary id → the ids it has in the other schema. Two dictionaries that share one id there cannot be distinguished: schema_conflict. */
function dictionaryTargets(own: Schema, wanted: Schema): Map<bigint, Set<bigint>> {
  const targets = new Map<bigint, Set<bigint>>();
  const sources = new Map<bigint, bigint>();
  const visit = (field: Field, other: Field): void => {
    if (field.dictionary !== null && other.dictionary !== null) {
      const from = field.dictionary.id;
      const to = other.dictionary.id;
      if ((sources.get(to) ?? from) !== from)
        throw new FrameholdError(
          'schema_conflict',
          `The frame has one dictionary for several columns, ${JSON.stringify(field.name)} among them; the added rows have one for each.`,
          { hint: 'Send the added rows with the dictionary shared in the same way, or replace the frame.' },
        );
      sources.set(to, from);
      targets.set(from, (targets.get(from) ?? new Set()).add(to));
    }
    for (const [index, child] of field.children.entries()) visit(child, other.children[index] as Field);
  };
  for (const [index, field] of own.fields.entries()) visit(field, wanted.fields[index] as Field);
  return targets;
}

function withIds(own: Schema, wanted: Schema): Schema {
  const renumber = (field: Field, other: Field): Field => ({
    ...field,
    dictionary:
      field.dictionary === null || other.dictionary === null
        ? field.dictionary
        : { ...field.dictionary, id: other.dictionary.id },
    children: field.children.map((child, index) => renumber(child, other.children[index] as Field)),
  });
  return { ...own, fields: own.fields.map((field, index) => renumber(field, wanted.fields[index] as Field)) };
}

function valuesOf(
  message: DictionaryMessage,
  body: Uint8Array,
  field: Field | undefined,
  anyValues: ReadonlyMap<bigint, ArrayData>,
): ArrayData {
  if (field === undefined) throw new Error(`dictionary ${message.id} is not in the schema`);
  return readBatch([field], message.batch, body, anyValues).columns[0] as ArrayData;
}
