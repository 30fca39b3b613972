import type { Caller } from '../../model/caller.ts';
import type { PostgresFrames, PostgresOwner } from '../../ports/engine.ts';
import { type VisibleTablesDependencies, visibleTables } from '../catalog/visible-tables.ts';
import { ownSchema } from './text/rewrite-frames.ts';

/** What a tenant's catalogs are made of. */
export interface CatalogSnapshot {
  readonly frames: PostgresFrames;
  /** Not all frames are in it: which are left out. */
  readonly notice: string | null;
  /** In memory, about. */
  readonly bytes: number;
}

/** A database of that many tables is more than tools that list them can show; the engine needs 300 bytes for each, and as much for each column. */
const framesMax = 100_000;
/** Of their schemas, each counted once: some hundred thousand columns, which take the engine seconds to read. */
const schemaBytesMax = 64 * 1024 * 1024;
/** Frames whose lines are one text: the engine takes a text at a time. */
const framesOfText = 20_000;

/** Schemas that PostgreSQL has: a tenant of this name shares its frames in another one. */
const takenSchemas: ReadonlySet<string> = new Set([
  ownSchema,
  'pg_catalog',
  'pg_toast',
  'information_schema',
  'main',
  'framehold',
  'analytics',
]);

/** The schema that shows what this tenant shares. */
function schemaOfOwner(owner: string): string {
  return takenSchemas.has(owner) ? `tenant ${owner}` : owner;
}

/** Reads all frames that the caller may see, page by page. */
export async function readSnapshot(
  dependencies: VisibleTablesDependencies,
  caller: Caller,
  signal: AbortSignal,
): Promise<CatalogSnapshot> {
  const owners = new Map<string, number>([[caller.tenant, 0]]);
  const schemas = new Map<string, number>();
  const schemaMessages: Uint8Array[] = [];
  const texts: string[] = [];
  let lines: string[] = [];
  let count = 0;
  let schemaBytes = 0;
  let notice: string | null = null;
  for await (const { owner, name, schema } of visibleTables(dependencies, caller, everything, signal)) {
    if (schema === null) continue;
    if (count >= framesMax || schemaBytes > schemaBytesMax) {
      notice = `PostgreSQL's catalogs show the first ${count} frames only, by name.`;
      break;
    }
    let shape = schemas.get(schema.hash);
    if (shape === undefined) {
      shape = schemaMessages.length;
      schemas.set(schema.hash, shape);
      schemaMessages.push(schema.message);
      schemaBytes += schema.message.byteLength;
    }
    const ownerIndex = owners.get(owner) ?? owners.size;
    owners.set(owner, ownerIndex);
    lines.push(`${firstOid + count} ${ownerIndex} ${shape} ${name}`);
    count += 1;
    if (lines.length < framesOfText) continue;
    texts.push(lines.join('\n'));
    lines = [];
  }
  if (lines.length > 0) texts.push(lines.join('\n'));
  const list: PostgresOwner[] = [...owners].map(([name, index]) => ({
    oid: firstOwnerOid + index,
    name,
    schema: index === 0 ? ownSchema : schemaOfOwner(name),
  }));
  const bytes = texts.reduce((sum, text) => sum + 2 * text.length, schemaBytes);
  return { frames: { lines: texts, owners: list, schemaMessages }, notice, bytes };
}

const everything = { names: null, shared: true, schemas: true };
/** PostgreSQL gives its own objects the numbers below. */
const firstOid = 16_384;
const firstOwnerOid = 2 ** 30;
