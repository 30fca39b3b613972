import type { Column, SchemaRecord, VersionRecord, VersionSummary } from '../model/version.ts';
import type { Listed, SchemasOption } from '../ports/catalog/versions.ts';
import { summaryOf, withSchema } from './described-records.ts';
import type { FoundVersions, WireSchema } from './wire.ts';

/** Schemas that are in use already, by their hash: one object for all records that have the same. */
interface CachedSchemas {
  schema(hash: string): SchemaRecord | undefined;
}

export function schemaOfWire(known: CachedSchemas, { hash, message, columns }: WireSchema): SchemaRecord {
  return known.schema(hash) ?? { hash, message: owned(message), columns: JSON.parse(columns) as Column[] };
}

/** The shared object of this schema, or one whose bytes are its own: a view would hold its whole buffer. */
export function ownSchema(known: CachedSchemas, { hash, message, columns }: SchemaRecord): SchemaRecord {
  return known.schema(hash) ?? { hash, message: new Uint8Array(message), columns };
}

function recordsOfWire(known: CachedSchemas, answer: FoundVersions): VersionRecord[] {
  const schemas = new Map(answer.schemas.map((schema) => [schema.hash, schemaOfWire(known, schema)]));
  return answer.records.map((record) => {
    const schema = schemas.get(record.hash);
    if (!schema) throw new Error('The catalog answered a record without its schema.');
    return withSchema(record, schema);
  });
}

/** A page as the port has it: with schemas if they were requested. */
export function listedOf<Schemas extends boolean>(
  known: CachedSchemas,
  { schemas }: SchemasOption<Schemas>,
  answer: FoundVersions,
): readonly Listed<Schemas>[] {
  const found = schemas === true ? recordsOfWire(known, answer) : answer.records.map(summaryOf);
  return found as readonly VersionSummary[] as readonly Listed<Schemas>[];
}

export function onlyOf(known: CachedSchemas, answer: FoundVersions): VersionRecord {
  const [record] = recordsOfWire(known, answer);
  if (!record) throw new Error('The catalog answered no record.');
  return record;
}

function owned(message: Uint8Array): Uint8Array {
  // Not a Buffer, which may be a piece of a larger one that others share.
  return message.constructor === Uint8Array ? message : new Uint8Array(message);
}
