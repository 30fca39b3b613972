import { createHash, randomUUID } from 'node:crypto';
import type {
  Column,
  DescribedVersion,
  PartForm,
  SchemaRecord,
  StoredObject,
} from '../../src/model/version.ts';
import type { Commit, Drop, NewParquetPart, NewPart, Undrop } from '../../src/ports/catalog/versions.ts';

/** Changes for tests, with everything that a test does not care about filled in. */

export const tenant = 'acme';
export const start = Date.UTC(2026, 0, 1);
export const dayMs = 24 * 60 * 60 * 1000;

export function schemaOf(...names: string[]): SchemaRecord {
  const message = new TextEncoder().encode(`schema of ${names.join(', ')}`);
  const columns: Column[] = names.map((name) => ({ name, type: 'LONG' }));
  return { hash: createHash('sha256').update(message).digest('hex'), message, columns };
}

/** As a replayed answer has it: with the columns of its schema and nothing else of it. */
export function described(record: DescribedVersion): DescribedVersion {
  return { ...record, schema: { columns: record.schema.columns } };
}

export const plainSchema = schemaOf('a', 'b');

export function partOf(rows = 10, bytes = 100, owner = tenant): NewPart {
  const id = randomUUID();
  const sha256 = createHash('sha256').update(id).digest('hex');
  return { id, rows, arrow: { key: `${owner}/${id}.arrow`, bytes, sha256 } };
}

/** A part that came as Parquet files. */
export function parquetPartOf(rows = 10, bytes = 100, owner = tenant, files = 1): NewParquetPart {
  const id = randomUUID();
  const sha256 = createHash('sha256').update(id).digest('hex');
  const parquet = Array.from({ length: files }, (_, index) => ({
    key: `${owner}/${id}.${index}.parquet`,
    bytes,
    sha256,
  }));
  return { id, rows, parquet };
}

export function parquetOf(part: NewPart, exact: boolean, files = 1): PartForm {
  const objects = Array.from({ length: files }, (_, index) => ({
    key: part.arrow.key.replace('.arrow', `.${index}.parquet`),
    bytes: 40,
    sha256: part.arrow.sha256,
  }));
  return { kind: 'parquet', objects, exact };
}

/** The Arrow of a part, compressed. */
export function packedOf({ arrow }: NewPart): StoredObject {
  return { ...arrow, key: `${tenant}/${randomUUID()}.arrow`, bytes: 40 };
}

/** Of a put whose part came as Arrow, as nearly all do. */
type ArrowCommit = Commit & { readonly part: NewPart };

export function change(name: string, mode: Commit['mode'], fields: Partial<ArrowCommit> = {}): ArrowCommit {
  const schema = fields.schema ?? plainSchema;
  return {
    tenant,
    name,
    mode,
    ifVersion: null,
    part: partOf(10, 100, fields.tenant),
    schema,
    baseSchemaHash: mode === 'append' ? schema.hash : null,
    expiresAt: undefined,
    origin: { kind: mode === 'append' ? 'append' : 'upload', format: 'arrow' },
    quota: null,
    idempotency: null,
    now: start,
    ...fields,
  };
}

export function dropOf(
  owner: string,
  name: string,
  version: number | null,
  ifVersion: number | null,
  now: number,
  undropMs = 0,
): Drop {
  return {
    attempt: randomUUID(),
    tenant: owner,
    name,
    version,
    ifVersion: ifVersion === null ? null : { version: ifVersion },
    undropMs,
    now,
  };
}

export function undropOf(owner: string, name: string, framesMax: number | null, now: number): Undrop {
  return { attempt: randomUUID(), tenant: owner, name, framesMax, now };
}
