import type { Notes } from '../../frames/notes/notes.ts';
import type { Caller } from '../../model/caller.ts';
import type { SchemaRecord } from '../../model/version.ts';
import type { RelationOidCatalog } from '../../ports/catalog/relation-oids.ts';
import type { PostgresComment, PostgresFrames, PostgresOwner } from '../../ports/engine.ts';
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
/** In one request to the catalog: all callers share its queue. */
const oidsAtOnce = 500;
/** Frames whose lines are one text: the engine takes a text at a time. */
const framesOfText = 20_000;

/** Of all comments together, so that snapshots of several tenants fit: later ones are not shown. */
const commentCharactersMax = 4 * 1024 * 1024;

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

export interface SnapshotDependencies extends VisibleTablesDependencies {
  readonly catalog: RelationOidCatalog;
  readonly notes: Pick<Notes, 'ofOwn'>;
}

/** Reads all frames that the caller may see, page by page. */
export async function readSnapshot(
  dependencies: SnapshotDependencies,
  caller: Caller,
  signal: AbortSignal,
): Promise<CatalogSnapshot> {
  const rows = new SnapshotRows(dependencies, caller);
  for await (const { owner, name, schema } of visibleTables(dependencies, caller, everything, signal)) {
    if (schema === null) continue;
    if (rows.isFull)
      return await rows.done(`PostgreSQL's catalogs show the first ${rows.count} frames only, by name.`);
    await rows.add(owner, name, schema);
  }
  return await rows.done(null);
}

const everything = { names: null, shared: true, schemas: true };

interface PendingFrame {
  readonly owner: string;
  readonly name: string;
  readonly shape: number;
}

/** Frames on their way into lines, with the numbers that the catalog gives them. */
class SnapshotRows {
  count = 0;
  readonly #dependencies: SnapshotDependencies;
  readonly #caller: Caller;
  readonly #owners = new Map<string, number>();
  readonly #shapes = new Map<string, number>();
  readonly #schemaMessages: Uint8Array[] = [];
  #schemaBytes = 0;
  readonly #texts: string[] = [];
  #lines: string[] = [];
  #pending: PendingFrame[] = [];
  readonly #comments: PostgresComment[] = [];
  #commentCharacters = 0;

  constructor(dependencies: SnapshotDependencies, caller: Caller) {
    this.#dependencies = dependencies;
    this.#caller = caller;
    this.#owners.set(caller.tenant, 0);
  }

  get isFull(): boolean {
    return this.count >= framesMax || this.#schemaBytes > schemaBytesMax;
  }

  async add(owner: string, name: string, { hash, message }: SchemaRecord): Promise<void> {
    if (!this.#shapes.has(hash)) {
      this.#shapes.set(hash, this.#schemaMessages.length);
      this.#schemaMessages.push(message);
      this.#schemaBytes += message.byteLength;
    }
    const isSameOwner = this.#pending[0]?.owner === owner;
    if (!isSameOwner || this.#pending.length >= oidsAtOnce) await this.#flush();
    this.#pending.push({ owner, name, shape: this.#shapes.get(hash) as number });
    this.count += 1;
  }

  async done(notice: string | null): Promise<CatalogSnapshot> {
    await this.#flush();
    if (this.#lines.length > 0) this.#texts.push(this.#lines.join('\n'));
    const owners: PostgresOwner[] = [];
    for (const [name, index] of this.#owners) {
      const [oid = null] = await this.#dependencies.catalog.relationOids(name, ['']);
      if (oid === null) throw new Error(`the tenant ${name} has no number`);
      owners.push({ oid, name, schema: index === 0 ? ownSchema : schemaOfOwner(name) });
    }
    const schemaMessages = this.#schemaMessages;
    const frames = { lines: this.#texts, owners, schemaMessages, comments: this.#comments };
    const bytes = this.#texts.reduce((sum, text) => sum + 2 * text.length, this.#schemaBytes);
    return { frames, notice: notice ?? this.#commentsNotice, bytes: bytes + 2 * this.#commentCharacters };
  }

  /** All of one owner. */
  async #flush(): Promise<void> {
    const [first] = this.#pending;
    if (first === undefined) return;
    const { owner } = first;
    const ownerIndex = this.#owners.get(owner) ?? this.#owners.size;
    this.#owners.set(owner, ownerIndex);
    const names = this.#pending.map(({ name }) => name.toLowerCase());
    const oids = await this.#dependencies.catalog.relationOids(owner, names);
    for (const [index, { name, shape }] of this.#pending.entries()) {
      const oid = oids[index] ?? null;
      // It has ended meanwhile.
      if (oid !== null) this.#lines.push(`${oid} ${ownerIndex} ${shape} ${name}`);
    }
    if (ownerIndex === 0) await this.#addComments(oids);
    this.#pending = [];
    if (this.#lines.length < framesOfText) return;
    this.#texts.push(this.#lines.join('\n'));
    this.#lines = [];
  }

  get #commentsNotice(): string | null {
    return this.#commentCharacters > commentCharactersMax
      ? `PostgreSQL's catalogs show the first ${commentCharactersMax} characters of comments only, by name.`
      : null;
  }

  /** What is said of the caller's own frames: of what others share, nobody would tell that it has changed. */
  async #addComments(oids: readonly (number | null)[]): Promise<void> {
    const names = this.#pending.map(({ name }) => name);
    const said = await this.#dependencies.notes.ofOwn(this.#caller, names);
    for (const [index, notes] of said.entries()) {
      const oid = oids[index] ?? null;
      if (oid === null || notes === null) continue;
      this.#comment(oid, null, notes.description);
      for (const [column, { comment }] of Object.entries(notes.columns)) this.#comment(oid, column, comment);
    }
  }

  #comment(oid: number, column: string | null, text: string | null): void {
    if (text === null || this.#commentCharacters > commentCharactersMax) return;
    this.#comments.push([oid, column, text]);
    this.#commentCharacters += text.length + (column?.length ?? 0);
  }
}
