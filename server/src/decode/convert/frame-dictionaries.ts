import { open } from 'node:fs/promises';
import type { ArrayData } from '../../arrow/arrays/array-data.ts';
import { readBatch } from '../../arrow/batches/batch.ts';
import type { Field, Schema } from '../../arrow/field.ts';
import { fileSource } from '../../arrow/ipc/file-source.ts';
import { parseMessage } from '../../arrow/ipc/message.ts';
import { MessageReader, readBody } from '../../arrow/ipc/message-reader.ts';
import { DictionaryEncoder } from './dictionary-encoder.ts';

/** Every dictionary-encoded field of a schema, by the id of its dictionary. */
export function encodedFields(schema: Schema): Map<bigint, Field> {
  const found = new Map<bigint, Field>();
  const visit = (field: Field): void => {
    if (field.dictionary !== null) found.set(field.dictionary.id, field);
    for (const child of field.children) visit(child);
  };
  for (const field of schema.fields) visit(field);
  return found;
}

/**
 * Whether what the frame has so far matters to what may come: an order that others would not be part of, or numbers so small that they
 * could run out. Other dictionaries are those of each part alone.
 */
export function needsKnownValues({ dictionary }: Field): boolean {
  return dictionary !== null && (dictionary.ordered || dictionary.index.bits <= 16);
}

/** One for each dictionary of the frame, with the values that its parts have. */
export async function frameEncoders(
  schema: Schema,
  partFiles: readonly string[],
  signal: AbortSignal,
): Promise<Map<bigint, DictionaryEncoder>> {
  const fields = encodedFields(schema);
  const encoders = new Map([...fields].map(([id, field]) => [id, new DictionaryEncoder(field)]));
  const wanted = new Map([...fields].filter(([, field]) => needsKnownValues(field)));
  if (wanted.size === 0) return encoders;
  for (const path of partFiles) {
    signal.throwIfAborted();
    await using file = await open(path);
    const reader = new MessageReader(fileSource(file));
    for (let message = await reader.next(); message !== null; message = await reader.next()) {
      const parsed = parseMessage(message.header);
      const field = parsed.kind === 'dictionary' ? wanted.get(parsed.id) : undefined;
      if (parsed.kind !== 'dictionary' || field === undefined || field.children.length > 0) continue;
      const values: Field = { ...field, nullable: true, dictionary: null };
      const { columns } = readBatch([values], parsed.batch, await readBody(message), new Map());
      encoders.get(parsed.id)?.know(columns[0] as ArrayData);
    }
  }
  return encoders;
}
