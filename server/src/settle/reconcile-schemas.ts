import { compareSchemas, widenSchema } from '../arrow/schema-difference.ts';
import { encodeSchema } from '../arrow/schema-encoder.ts';
import { FrameholdError } from '../frames/errors.ts';
import type { Reconciled } from '../frames/ports/codec.ts';
import type { SchemaRecord } from '../frames/version.ts';
import { dictionaryTargets } from './renumber-stream.ts';
import { schemaOf, schemaRecord } from './schema-record.ts';

/** The schema of a version that has the rows of `base` and, behind them, those of `added`. */
export function reconcileSchemas(base: SchemaRecord, added: SchemaRecord): Reconciled {
  if (base.hash === added.hash) return { schema: base, renumber: false };
  const baseSchema = schemaOf(base.message);
  const addedSchema = schemaOf(added.message);
  const comparison = compareSchemas(baseSchema, addedSchema);
  if (comparison.difference !== null)
    throw new FrameholdError(
      'schema_conflict',
      `The columns differ from the frame's: ${comparison.difference}.`,
      {
        hint: 'Append the same column names, order and types, or replace the frame.',
      },
    );
  if (comparison.dictionaryIdsDiffer) dictionaryTargets(addedSchema, baseSchema);
  const widened = comparison.widened ? widenSchema(baseSchema, addedSchema) : null;
  return {
    schema: widened === null ? base : schemaRecord(encodeSchema(widened), widened),
    renumber: comparison.dictionaryIdsDiffer,
  };
}
