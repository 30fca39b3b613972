import type { MergeBounds } from '../../frames/merge-runs.ts';
import type { Catalog } from '../../frames/ports/catalog/catalog.ts';
import type { Damage, KnownDamage, ScrubState } from '../../frames/ports/catalog/integrity.ts';
import type { MergeRun } from '../../frames/ports/catalog/maintenance.ts';
import type { SharedPage, TenantHolding, TenantShares } from '../../frames/ports/catalog/sharing.ts';
import type {
  Commit,
  Committed,
  Drop,
  ListPage,
  NewPart,
  Restore,
  TenantUsage,
  Undrop,
  Undropped,
  VersionsPage,
} from '../../frames/ports/catalog/versions.ts';
import { announce } from '../../frames/steps.ts';
import type {
  Column,
  Origin,
  PartForm,
  PartRecord,
  QueryOrigin,
  SchemaRecord,
  StoredObject,
  TextNotation,
  VersionRecord,
  VersionSummary,
} from '../../frames/version.ts';
import { CatalogThread } from './catalog-thread.ts';
import {
  lifeOf,
  originQueryOf,
  restoredFromOf,
  schemaHashOf,
  type TouchedName,
  type WireCommitted,
  type WireRecord,
  type WireSchema,
  type WireVersions,
} from './protocol.ts';
import { RecordCache } from './record-cache.ts';

export interface SqliteCatalogOptions {
  readonly path: string;
  /** Operations that may wait for an answer; more are refused as overloaded. */
  readonly pendingMax?: number;
}

/** So many keys take the thread about 10 ms. */
const keysPageMax = 1000;

/**
 * The catalog of one node, in one SQLite file that only this process changes: what is cached here is forgotten when this
 * catalog changes it, and by nothing else.
 */
export class SqliteCatalog implements Catalog {
  readonly #thread: CatalogThread;
  readonly #cache = new RecordCache();
  readonly #wireSchemas = new WeakMap<SchemaRecord, WireSchema>();

  static async open(options: SqliteCatalogOptions): Promise<SqliteCatalog> {
    return new SqliteCatalog(await CatalogThread.start(options.path, options.pendingMax));
  }

  private constructor(thread: CatalogThread) {
    this.#thread = thread;
  }

  resolve(tenant: string, name: string, version: number | null, now: number): Promise<VersionRecord> {
    const cached = this.#cache.get(tenant, name, version, now);
    if (cached) return Promise.resolve(cached);
    return this.#thread.read('resolve', [tenant, name, version, now], (answer) => {
      const record = this.#only(answer);
      this.#cache.put(record, version);
      return record;
    });
  }

  parts(tenant: string, name: string, version: number): Promise<readonly PartRecord[]> {
    return this.#thread.read('parts', [tenant, name, version], identity);
  }

  commit(change: Commit): Promise<Committed> {
    const schema = this.#own(change.schema);
    return this.#thread.change('commit', [{ ...change, schema: this.#toWire(schema) }], (answer) => {
      if (answer.replayedColumns !== null) return replayed(answer, answer.replayedColumns);
      const record = withSchema(answer.record, schema);
      this.#renew(record, answer);
      return { record, created: answer.created, replayed: false, expired: answer.expired };
    });
  }

  replay(tenant: string, key: string, fingerprint: string, now: number): Promise<Committed | null> {
    return this.#thread.read('replay', [tenant, key, fingerprint, now], (answer) => {
      if (answer === null || answer.replayedColumns === null) return null;
      return replayed(answer, answer.replayedColumns);
    });
  }

  names(tenant: string, page: ListPage, now: number): Promise<readonly string[]> {
    return this.#thread.read('names', [tenant, page, now], identity);
  }

  list(tenant: string, page: ListPage, now: number): Promise<readonly VersionSummary[]> {
    return this.#thread.read('list', [tenant, page, now], (answer) => answer.map(summaryOf));
  }

  listWhole(tenant: string, page: ListPage, now: number): Promise<readonly VersionRecord[]> {
    return this.#thread.read('listWhole', [tenant, page, now], (answer) => this.#records(answer));
  }

  versions(
    tenant: string,
    name: string,
    page: VersionsPage,
    now: number,
  ): Promise<readonly VersionSummary[]> {
    return this.#thread.read('versions', [tenant, name, page, now], (answer) => answer.map(summaryOf));
  }

  versionsWhole(
    tenant: string,
    name: string,
    page: VersionsPage,
    now: number,
  ): Promise<readonly VersionRecord[]> {
    return this.#thread.read('versionsWhole', [tenant, name, page, now], (answer) => this.#records(answer));
  }

  expire(tenant: string, name: string, expiresAt: number | null, now: number): Promise<VersionRecord> {
    return this.#thread.change('expire', [tenant, name, expiresAt, now], (answer) => {
      const record = this.#only(answer);
      this.#cache.renew(record);
      return record;
    });
  }

  drop(change: Drop): Promise<void> {
    return this.#thread.change('drop', [change], () => this.#cache.forget(change.tenant, change.name));
  }

  restore(change: Restore): Promise<Committed> {
    return this.#thread.change('restore', [change], (answer) => {
      if (answer.schema === null) return replayed(answer, answer.replayedColumns ?? '[]');
      const record = withSchema(answer.record, this.#fromWire(answer.schema));
      this.#renew(record, answer);
      return { record, created: false, replayed: false, expired: null };
    });
  }

  undrop(change: Undrop): Promise<Undropped> {
    return this.#thread.change('undrop', [change], ({ found, expired }) => {
      const record = this.#only(found);
      this.#cache.renew(record);
      return { record, expired };
    });
  }

  purge(tenant: string, name: string): Promise<number> {
    return this.#thread.change('purge', [tenant, name], identity);
  }

  releaseDropped(bytesWanted: number): Promise<TouchedName | null> {
    return this.#thread.change('releaseDropped', [bytesWanted], identity);
  }

  share(tenant: string, name: string, reader: string, now: number): Promise<readonly string[]> {
    return this.#thread.change('share', [tenant, name, reader, now], identity);
  }

  unshare(tenant: string, name: string, reader: string, now: number): Promise<readonly string[]> {
    return this.#thread.change('unshare', [tenant, name, reader, now], identity);
  }

  shares(tenant: string, name: string, now: number): Promise<readonly string[]> {
    return this.#thread.read('shares', [tenant, name, now], identity);
  }

  isShared(tenant: string, name: string, reader: string): Promise<boolean> {
    return this.#thread.read('isShared', [tenant, name, reader], identity);
  }

  shared(reader: string, page: SharedPage, now: number): Promise<readonly VersionSummary[]> {
    return this.#thread.read('shared', [reader, page, now], (answer) => answer.map(summaryOf));
  }

  sharedWhole(reader: string, page: SharedPage, now: number): Promise<readonly VersionRecord[]> {
    return this.#thread.read('sharedWhole', [reader, page, now], (answer) => this.#records(answer));
  }

  usage(tenant: string): Promise<TenantUsage> {
    return this.#thread.read('usage', [tenant], identity);
  }

  tenants(after: string, limit: number): Promise<readonly TenantHolding[]> {
    return this.#thread.read('tenants', [after, limit], identity);
  }

  tenantShares(tenant: string): Promise<TenantShares> {
    return this.#thread.read('tenantShares', [tenant], identity);
  }

  unsettled(limit: number, smallBefore: number): Promise<readonly PartRecord[]> {
    return this.#thread.read('unsettled', [limit, smallBefore], identity);
  }

  addForm(partId: string, form: PartForm): Promise<boolean> {
    return this.#thread.change('addForm', [partId, form], identity);
  }

  refuseSettling(partId: string, reason: string): Promise<void> {
    return this.#thread.change('refuseSettling', [partId, reason], identity);
  }

  belowLevel(level: number, limit: number): Promise<readonly PartRecord[]> {
    return this.#thread.read('belowLevel', [level, limit], identity);
  }

  unpacked(limit: number): Promise<readonly PartRecord[]> {
    return this.#thread.read('unpacked', [limit], identity);
  }

  replaceForm(partId: string, before: readonly string[], form: PartForm, level: number): Promise<boolean> {
    return this.#thread.change('replaceForm', [partId, before, form, level], identity);
  }

  keepForm(partId: string, kind: PartForm['kind'], level: number): Promise<void> {
    return this.#thread.change('keepForm', [partId, kind, level], identity);
  }

  arrowBytes(): Promise<number> {
    return this.#thread.read('arrowBytes', [], identity);
  }

  evictable(limit: number): Promise<readonly PartRecord[]> {
    return this.#thread.read('evictable', [limit], identity);
  }

  evict(partId: string): Promise<void> {
    return this.#thread.change('evict', [partId], identity);
  }

  async mergeable(bounds: MergeBounds): Promise<MergeRun | null> {
    for (;;) {
      const { run, more } = await this.#thread.change('mergeable', [bounds], identity);
      if (run !== null) return { tenant: run.tenant, schema: this.#fromWire(run.schema), parts: run.parts };
      if (!more) return null;
    }
  }

  merge(partIds: readonly string[], part: NewPart, now: number): Promise<boolean> {
    return this.#thread.change('merge', [partIds, part, now], identity);
  }

  refuseMerging(partId: string, reason: string): Promise<void> {
    return this.#thread.change('refuseMerging', [partId, reason], identity);
  }

  /** In bounded steps, each its own transaction, so that puts and reads come in between. */
  async sweep(
    versionsKeep: number,
    versionsSince: number | null,
    now: number,
    onExpired: (tenant: string, name: string) => void = () => {},
  ): Promise<void> {
    let more = true;
    while (more) {
      more = await this.#thread.change('sweep', [versionsKeep, versionsSince, now], (step) => {
        const touched = [...step.expired, ...step.pruned];
        for (const { tenant, name } of touched) this.#cache.forget(tenant, name);
        if (touched.length > 0) announce('sweep:recorded');
        for (const { tenant, name } of step.expired) onExpired(tenant, name);
        return step.more;
      });
    }
  }

  garbage(after: string | null, limit: number): Promise<readonly string[]> {
    return this.#thread.read('garbage', [after, limit], identity);
  }

  async forget(keys: readonly string[]): Promise<void> {
    for (const page of pagesOf(keys)) await this.#thread.change('forget', [page], identity);
  }

  async known(keys: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const page of pagesOf(keys)) found.push(...(await this.#thread.read('known', [page], identity)));
    return found;
  }

  objects(after: string | null, limit: number): Promise<readonly StoredObject[]> {
    return this.#thread.read('objects', [after, limit], identity);
  }

  markDamaged(key: string, fault: string, now: number): Promise<Damage | null> {
    return this.#thread.change('markDamaged', [key, fault, now], identity);
  }

  clearDamage(key: string): Promise<void> {
    return this.#thread.change('clearDamage', [key], identity);
  }

  knownDamage(): Promise<readonly KnownDamage[]> {
    return this.#thread.read('knownDamage', [], identity);
  }

  scrubState(): Promise<ScrubState> {
    return this.#thread.read('scrubState', [], identity);
  }

  saveScrubState(state: ScrubState): Promise<void> {
    return this.#thread.change('saveScrubState', [state], identity);
  }

  integrity(): Promise<readonly string[]> {
    return this.#thread.read('integrity', [], identity);
  }

  ping(): Promise<void> {
    return this.#thread.read('ping', [], identity);
  }

  async close(): Promise<void> {
    await this.#thread.close();
    this.#cache.clear();
  }

  #renew(record: VersionRecord, { isRepeated }: WireCommitted): void {
    if (isRepeated) this.#cache.forget(record.tenant, record.name);
    else this.#cache.renew(record);
  }

  #only(answer: WireVersions): VersionRecord {
    const [record] = this.#records(answer);
    if (!record) throw new Error('The catalog answered no record.');
    return record;
  }

  #records(answer: WireVersions): VersionRecord[] {
    const schemas = new Map(answer.schemas.map((schema) => [schema.hash, this.#fromWire(schema)]));
    return answer.records.map((record) => {
      const schema = schemas.get(schemaHashOf(record));
      if (!schema) throw new Error('The catalog answered a record without its schema.');
      return withSchema(record, schema);
    });
  }

  #fromWire(wire: WireSchema): SchemaRecord {
    const shared = this.#cache.schema(wire.hash);
    if (shared) return shared;
    const columns = JSON.parse(wire.columns) as Column[];
    return { hash: wire.hash, message: wire.message, columns };
  }

  /** The shared object of this schema, or one whose bytes are its own: a view would hold and send its whole buffer. */
  #own(schema: SchemaRecord): SchemaRecord {
    const shared = this.#cache.schema(schema.hash);
    if (shared) return shared;
    const { hash, message, columns } = schema;
    return { hash, message: new Uint8Array(message), columns };
  }

  #toWire(schema: SchemaRecord): WireSchema {
    let wire = this.#wireSchemas.get(schema);
    if (!wire) {
      wire = { hash: schema.hash, message: schema.message, columns: JSON.stringify(schema.columns) };
      this.#wireSchemas.set(schema, wire);
    }
    return wire;
  }
}

function replayed({ record, created }: WireCommitted, columns: string): Committed {
  const schema = { columns: JSON.parse(columns) as Column[] };
  return { record: { ...summaryOf(record), schema }, created, replayed: true, expired: null };
}

function withSchema(wire: WireRecord, schema: SchemaRecord): VersionRecord {
  return { ...summaryOf(wire), schema };
}

function summaryOf(wire: WireRecord): VersionSummary {
  const [tenant, name, version, frameId, createdAt, expiresAt, rows, bytes, partCount, kind, format] = wire;
  const from = restoredFromOf(wire);
  const life = lifeOf(wire);
  const origin: Origin = { kind, ...(from === null ? {} : { from }), format, ...originDetails(wire) };
  const summary = { tenant, name, version, frameId, createdAt, expiresAt, rows, bytes, partCount, origin };
  return life === 0 ? summary : { ...summary, life };
}

/** A column for two things, of which a version has one: it was made by a statement, or read from text. */
function originDetails(wire: WireRecord): Pick<Origin, 'query' | 'text'> {
  const json = originQueryOf(wire);
  if (json === null) return {};
  const details = JSON.parse(json) as QueryOrigin | TextNotation;
  return 'sources' in details ? { query: details } : { text: details };
}

function* pagesOf(keys: readonly string[]): Iterable<readonly string[]> {
  for (let start = 0; start < keys.length; start += keysPageMax) yield keys.slice(start, start + keysPageMax);
}

function identity<Value>(value: Value): Value {
  return value;
}
