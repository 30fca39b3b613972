import type { Schema } from '../../arrow/field.ts';
import { encodeSchema } from '../../arrow/ipc/schema-encoder.ts';
import { compareSchemas, widenSchema } from '../../arrow/schema/schema-difference.ts';
import { schemaOf, schemaRecord } from '../../arrow/schema/schema-record.ts';
import type { SchemaRecord } from '../../model/version.ts';
import type { Reconciled } from '../../ports/codec.ts';
import { encodedFields, needsKnownValues } from './frame-dictionaries.ts';
import { planConversion } from './plan-conversion.ts';

/** The schema of a version that has the rows of `base` and, behind them, those of `added`, and what must happen to these first. */
export function reconcileSchemas(base: SchemaRecord, added: SchemaRecord): Reconciled {
  const baseSchema = schemaOf(base.message);
  const encoded = [...encodedFields(baseSchema).values()];
  // New values, or another order, can only be seen in the dictionaries themselves.
  const isOrdered = encoded.some(({ dictionary }) => dictionary?.ordered === true);
  const unchanged = { renumber: false, convert: isOrdered, readsParts: isOrdered };
  if (base.hash === added.hash) return { ...unchanged, schema: base };
  const addedSchema = schemaOf(added.message);
  const { difference, widened, dictionaryIdsDiffer } = compareSchemas(baseSchema, addedSchema);
  if (difference === null) {
    const schema = widened ? record(widenSchema(baseSchema, addedSchema)) : base;
    return { ...unchanged, schema, renumber: dictionaryIdsDiffer };
  }
  const plan = planConversion(baseSchema, addedSchema);
  const schema = record(plan.schema);
  return {
    schema: schema.hash === record(baseSchema).hash ? base : schema,
    convert: true,
    readsParts: encoded.some(needsKnownValues),
    renumber: false,
  };
}

function record(schema: Schema): SchemaRecord {
  return schemaRecord(encodeSchema(schema), schema);
}
