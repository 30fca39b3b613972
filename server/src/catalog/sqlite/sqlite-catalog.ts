import type { CompactionLimits } from '../../model/compaction-runs.ts';
import type { ExpectedVersion } from '../../model/expected-version.ts';
import { announce } from '../../model/failpoints.ts';
import type { SchemaRecord, VersionRecord } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { CompactionRun } from '../../ports/catalog/maintenance.ts';
import type { SharedPage } from '../../ports/catalog/sharing.ts';
import type {
  Commit,
  Committed,
  Drop,
  Listed,
  ListPage,
  Restore,
  Undrop,
  Undropped,
  VersionsPage,
} from '../../ports/catalog/versions.ts';
import { replayed, withSchema } from '../described-records.ts';
import { pagesOfKeys } from '../pages-of-keys.ts';
import { RecordCache } from '../record-cache.ts';
import { listedOf, onlyOf, ownSchema, schemaOfWire } from '../schema-records.ts';
import type { WireCommitted, WireSchema } from '../wire.ts';
import { CatalogThread } from './thread/catalog-thread.ts';
import { rowOfTuple, unpack, versionsOf } from './thread/record-tuples.ts';

export interface SqliteCatalogOptions {
  readonly path: string;
  /** Operations that may wait for an answer; more are refused as overloaded. */
  readonly pendingMax?: number;
}

/**
 * The catalog of one node, in one SQLite file that only this process changes: what is cached here is forgotten when this
 * catalog changes it, and by nothing else. Operations that need nothing done on this side go to the thread as they are.
 */
export async function openSqliteCatalog(options: SqliteCatalogOptions): Promise<Catalog> {
  const thread = await CatalogThread.start(options.path, options.pendingMax);
  const plain = thread.operations.map((operation) => [
    operation,
    (...args: unknown[]) => thread.call(operation, args as never, identity),
  ]);
  const own = new CachedOperations(thread);
  const methods = ownOperations.map((name) => [name, (own[name] as () => unknown).bind(own)]);
  return Object.fromEntries([...plain, ...methods]) as unknown as Catalog;
}

/** Operations that update the cache, translate messages, or take several steps. */
const ownOperations = [
  'resolve',
  'list',
  'versions',
  'shared',
  'replay',
  'commit',
  'restore',
  'expire',
  'keepVersions',
  'drop',
  'undrop',
  'compactable',
  'sweep',
  'renew',
  'forget',
  'known',
  'watchEvents',
  'close',
] as const satisfies readonly (keyof Catalog)[];

class CachedOperations implements Pick<Catalog, (typeof ownOperations)[number]> {
  readonly #thread: CatalogThread;
  readonly #cache = new RecordCache();
  readonly #wireSchemas = new WeakMap<SchemaRecord, WireSchema>();

  constructor(thread: CatalogThread) {
    this.#thread = thread;
  }

  resolve(tenant: string, name: string, version: number | null, now: number): Promise<VersionRecord> {
    const cached = this.#cache.get(tenant, name, version, now);
    if (cached) return Promise.resolve(cached);
    return this.#thread.call('resolve', [tenant, name, version, now], (answer) => {
      const record = onlyOf(this.#cache, versionsOf(answer));
      this.#cache.put(record, version);
      return record;
    });
  }

  list<Schemas extends boolean = false>(
    tenant: string,
    page: ListPage<Schemas>,
    now: number,
  ): Promise<readonly Listed<Schemas>[]> {
    return this.#thread.call('list', [tenant, page, now], (answer) =>
      listedOf(this.#cache, page, versionsOf(answer)),
    );
  }

  versions<Schemas extends boolean = false>(
    tenant: string,
    name: string,
    page: VersionsPage<Schemas>,
    now: number,
  ): Promise<readonly Listed<Schemas>[]> {
    return this.#thread.call('versions', [tenant, name, page, now], (answer) =>
      listedOf(this.#cache, page, versionsOf(answer)),
    );
  }

  shared<Schemas extends boolean = false>(
    reader: string,
    page: SharedPage<Schemas>,
    now: number,
  ): Promise<readonly Listed<Schemas>[]> {
    return this.#thread.call('shared', [reader, page, now], (answer) =>
      listedOf(this.#cache, page, versionsOf(answer)),
    );
  }

  replay(
    tenant: string,
    key: string,
    fingerprint: string,
    now: number,
    body?: string,
  ): Promise<Committed | null> {
    return this.#thread.call('replay', [tenant, key, fingerprint, now, body], (answer) => {
      if (answer === null || answer.replayedColumns === null) return null;
      return replayed(unpack(answer), answer.replayedColumns);
    });
  }

  commit(change: Commit): Promise<Committed> {
    const schema = ownSchema(this.#cache, change.schema);
    return this.#thread.call('commit', [{ ...change, schema: this.#toWire(schema) }], (answer) => {
      if (answer.replayedColumns !== null) return replayed(unpack(answer), answer.replayedColumns);
      const record = withSchema(rowOfTuple(answer.record), schema);
      this.#renew(record, answer);
      return { record, created: answer.created, replayed: false, expired: answer.expired };
    });
  }

  restore(change: Restore): Promise<Committed> {
    return this.#thread.call('restore', [change], (answer) => {
      if (answer.schema === null) return replayed(unpack(answer), answer.replayedColumns ?? '[]');
      const record = withSchema(rowOfTuple(answer.record), schemaOfWire(this.#cache, answer.schema));
      this.#renew(record, answer);
      return { record, created: false, replayed: false, expired: null };
    });
  }

  expire(
    tenant: string,
    name: string,
    expiresAt: number | null,
    now: number,
    ifVersion: ExpectedVersion | null = null,
  ): Promise<VersionRecord> {
    return this.#thread.call('expire', [tenant, name, expiresAt, now, ifVersion], (answer) => {
      const record = onlyOf(this.#cache, versionsOf(answer));
      this.#cache.renew(record);
      return record;
    });
  }

  keepVersions(
    tenant: string,
    name: string,
    versionsKeep: number | null,
    now: number,
    ifVersion: ExpectedVersion | null = null,
  ): Promise<VersionRecord> {
    return this.#thread.call('keepVersions', [tenant, name, versionsKeep, now, ifVersion], (answer) => {
      const record = onlyOf(this.#cache, versionsOf(answer));
      this.#cache.renew(record);
      return record;
    });
  }

  drop(change: Drop): Promise<void> {
    return this.#thread.call('drop', [change], () => this.#cache.forget(change.tenant, change.name));
  }

  undrop(change: Undrop): Promise<Undropped> {
    return this.#thread.call('undrop', [change], ({ found, expired }) => {
      const record = onlyOf(this.#cache, versionsOf(found));
      this.#cache.renew(record);
      return { record, expired };
    });
  }

  async compactable(limits: CompactionLimits, now: number): Promise<CompactionRun | null> {
    for (;;) {
      const { run, more } = await this.#thread.call('compactable', [limits, now], identity);
      if (run !== null)
        return { tenant: run.tenant, schema: schemaOfWire(this.#cache, run.schema), parts: run.parts };
      if (!more) return null;
    }
  }

  /** In small steps, each its own transaction, so that puts and reads come in between. */
  async sweep(
    versionsKeep: number,
    versionsSince: number | null,
    now: number,
    onExpired: (tenant: string, name: string) => void = () => {},
  ): Promise<void> {
    let more = true;
    while (more) {
      more = await this.#thread.call('sweep', [versionsKeep, versionsSince, now], (step) => {
        const touched = [...step.expired, ...step.pruned];
        for (const { tenant, name } of touched) this.#cache.forget(tenant, name);
        if (touched.length > 0) announce('sweep:recorded');
        for (const { tenant, name } of step.expired) onExpired(tenant, name);
        return step.more;
      });
    }
  }

  async renew(keys: readonly string[], until: number): Promise<void> {
    for (const page of pagesOfKeys(keys)) await this.#thread.call('renew', [page, until], identity);
  }

  async forget(keys: readonly string[]): Promise<void> {
    for (const page of pagesOfKeys(keys)) await this.#thread.call('forget', [page], identity);
  }

  async known(keys: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const page of pagesOfKeys(keys)) found.push(...(await this.#thread.call('known', [page], identity)));
    return found;
  }

  watchEvents(listener: (tenants: readonly string[]) => void): () => void {
    return this.#thread.watchEvents(listener);
  }

  async close(): Promise<void> {
    await this.#thread.close();
    this.#cache.clear();
  }

  #renew(record: VersionRecord, { isRepeated }: Pick<WireCommitted, 'isRepeated'>): void {
    if (isRepeated) this.#cache.forget(record.tenant, record.name);
    else this.#cache.renew(record);
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

function identity<Value>(value: Value): Value {
  return value;
}
