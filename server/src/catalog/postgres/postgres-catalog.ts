import type { CompactionLimits } from '../../model/compaction-runs.ts';
import type { ExpectedVersion } from '../../model/expected-version.ts';
import type { TenantQuota } from '../../model/limits/tenant-limit-values.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { CompactionRun } from '../../ports/catalog/maintenance.ts';
import type { SharedPage } from '../../ports/catalog/sharing.ts';
import type {
  Commit,
  Committed,
  Listed,
  ListPage,
  Restore,
  SchemasOption,
  Undrop,
  Undropped,
  VersionsPage,
} from '../../ports/catalog/versions.ts';
import type { Sql, Transaction } from '../../postgres/database.ts';
import { replayed, withSchema } from '../described-records.ts';
import { pagesOfKeys } from '../pages-of-keys.ts';
import { RecordCache } from '../record-cache.ts';
import { listedOf, onlyOf, ownSchema, schemaOfWire } from '../schema-records.ts';
import type { FoundVersions, WireCommit } from '../wire.ts';
import { CatalogTransactions } from './catalog-transactions.ts';
import { EventWatch } from './events/event-watch.ts';
import { createTables, plainOperations, type Tables } from './operations.ts';
import { quotaRefusal } from './tenants/usage.ts';
import type { Transactions } from './transactions.ts';
import { Resolver } from './versions/resolver.ts';

export interface PostgresCatalogOptions {
  /** Stored bytes were found damaged, perhaps by another node: answers that were kept may not be given again. */
  readonly onDamage?: () => void;
  /** A change was committed, by the id of its attempt. */
  readonly onChange?: (attempt: string) => void;
  /** A statement has looked up names. */
  readonly onLookup?: (durationMs: number) => void;
}

/**
 * The catalog of many nodes, in a PostgreSQL database whose tables are up to date. Nothing is answered from memory alone. `close` leaves the
 * database open: others use it too.
 */
export function openPostgresCatalog(database: Transactions, options: PostgresCatalogOptions = {}): Catalog {
  const tables = createTables();
  const transactions = new CatalogTransactions(database, (sql) => {
    const attempt = tables.attempts.addedIn(sql);
    if (attempt !== undefined) options.onChange?.(attempt);
    watch.changed(tables.events.changedIn(sql));
  });
  const watch = new EventWatch(transactions);
  const { reads, writes } = plainOperations(tables);
  const read = Object.entries(reads).map(([name, operation]) => [
    name,
    (...args: unknown[]) => transactions.read((sql) => (operation as AnyOperation)(sql, ...args)),
  ]);
  const write = Object.entries(writes).map(([name, operation]) => [
    name,
    (...args: unknown[]) => transactions.change((sql) => (operation as AnyOperation)(sql, ...args)),
  ]);
  const own = new OwnOperations(transactions, tables, watch, options);
  const methods = ownOperations.map((name) => [name, (own[name] as () => unknown).bind(own)]);
  const plain = Object.fromEntries([...read, ...write]) as PlainOperations;
  return Object.assign(plain, Object.fromEntries(methods) as Pick<Catalog, (typeof ownOperations)[number]>);
}

type AnyOperation = (sql: unknown, ...args: unknown[]) => Promise<unknown>;

type Plain = ReturnType<typeof plainOperations>;
type PortOperation<Operation> = Operation extends (sql: never, ...args: infer Args) => infer Answer
  ? (...args: Args) => Answer
  : never;
/** With the types that the tables have: the compiler checks that no operation of the port is missing or has others. */
type PlainOperations = {
  -readonly [Name in keyof (Plain['reads'] & Plain['writes'])]: PortOperation<
    (Plain['reads'] & Plain['writes'])[Name]
  >;
};

/** Operations that translate answers, or take several transactions. */
const ownOperations = [
  'ping',
  'resolve',
  'list',
  'versions',
  'shared',
  'replay',
  'commit',
  'restore',
  'expire',
  'keepVersions',
  'undrop',
  'compactable',
  'sweep',
  'renew',
  'forget',
  'known',
  'watchEvents',
  'close',
] as const satisfies readonly (keyof Catalog)[];

class OwnOperations implements Pick<Catalog, (typeof ownOperations)[number]> {
  readonly #transactions: CatalogTransactions;
  readonly #tables: Tables;
  readonly #watch: EventWatch;
  readonly #resolver: Resolver;
  readonly #cache = new RecordCache();

  constructor(
    transactions: CatalogTransactions,
    tables: Tables,
    watch: EventWatch,
    { onDamage, onLookup }: PostgresCatalogOptions,
  ) {
    this.#transactions = transactions;
    this.#tables = tables;
    this.#watch = watch;
    const { names, schemas } = tables;
    this.#resolver = new Resolver(transactions, {
      names,
      schemas,
      cache: this.#cache,
      onDamage: onDamage ?? (() => {}),
      onLookup: onLookup ?? (() => {}),
    });
  }

  async ping(): Promise<void> {
    await this.#transactions.read((sql) => sql.rows('SELECT 1'));
  }

  resolve(tenant: string, name: string, version: number | null, now: number): Promise<VersionRecord> {
    return this.#resolver.resolve(tenant, name, version, now);
  }

  list<Schemas extends boolean = false>(
    tenant: string,
    page: ListPage<Schemas>,
    now: number,
  ): Promise<readonly Listed<Schemas>[]> {
    return this.#listed(page, (sql) => this.#tables.records.list(sql, tenant, page, now));
  }

  versions<Schemas extends boolean = false>(
    tenant: string,
    name: string,
    page: VersionsPage<Schemas>,
    now: number,
  ): Promise<readonly Listed<Schemas>[]> {
    return this.#listed(page, (sql) => this.#tables.records.versions(sql, tenant, name, page, now));
  }

  shared<Schemas extends boolean = false>(
    reader: string,
    page: SharedPage<Schemas>,
    now: number,
  ): Promise<readonly Listed<Schemas>[]> {
    return this.#listed(page, (sql) => this.#tables.records.shared(sql, reader, page, now));
  }

  async replay(
    tenant: string,
    key: string,
    fingerprint: string,
    now: number,
    body?: string,
  ): Promise<Committed | null> {
    const { keys } = this.#tables;
    const given = { key, fingerprint, body };
    const answer = await this.#transactions.read((sql) => keys.replay(sql, tenant, given, now));
    return answer?.replayedColumns ? replayed(answer, answer.replayedColumns) : null;
  }

  async commit(change: Commit): Promise<Committed> {
    const schema = ownSchema(this.#cache, change.schema);
    const wire: WireCommit = { ...change, schema: { ...schema, columns: JSON.stringify(schema.columns) } };
    const answer = await this.#within(change.quota, (sql) => this.#tables.commits.commit(sql, wire));
    const { record, created, replayedColumns, expired } = answer;
    if (replayedColumns !== null) return replayed(answer, replayedColumns);
    return { record: withSchema(record, schema), created, replayed: false, expired };
  }

  async restore(change: Restore): Promise<Committed> {
    const answer = await this.#transactions.change((sql) => this.#tables.restores.restore(sql, change));
    if (answer.schema === null) return replayed(answer, answer.replayedColumns ?? '[]');
    const record = withSchema(answer.record, schemaOfWire(this.#cache, answer.schema));
    return { record, created: false, replayed: false, expired: null };
  }

  expire(
    tenant: string,
    name: string,
    expiresAt: number | null,
    now: number,
    ifVersion: ExpectedVersion | null = null,
  ): Promise<VersionRecord> {
    const { expiry } = this.#tables;
    return this.#changed((sql) => expiry.expire(sql, tenant, name, expiresAt, now, ifVersion));
  }

  keepVersions(
    tenant: string,
    name: string,
    versionsKeep: number | null,
    now: number,
    ifVersion: ExpectedVersion | null = null,
  ): Promise<VersionRecord> {
    const { expiry } = this.#tables;
    return this.#changed((sql) => expiry.keepVersions(sql, tenant, name, versionsKeep, now, ifVersion));
  }

  async undrop(change: Undrop): Promise<Undropped> {
    const quota = { framesMax: change.framesMax, bytesMax: null };
    const { found, expired } = await this.#within(quota, (sql) => this.#tables.undrops.undrop(sql, change));
    return { record: onlyOf(this.#cache, found), expired };
  }

  async compactable(limits: CompactionLimits, now: number): Promise<CompactionRun | null> {
    for (;;) {
      const { run, more } = await this.#tables.compactions.compactable(this.#transactions, limits, now);
      if (run !== null)
        return { tenant: run.tenant, schema: schemaOfWire(this.#cache, run.schema), parts: run.parts };
      if (!more) return null;
    }
  }

  async sweep(
    versionsKeep: number,
    versionsSince: number | null,
    now: number,
    onExpired: (tenant: string, name: string) => void = () => {},
  ): Promise<void> {
    await this.#tables.sweep.sweep(this.#transactions, versionsKeep, versionsSince, now, onExpired);
  }

  async renew(keys: readonly string[], until: number): Promise<void> {
    for (const page of pagesOfKeys(keys))
      await this.#transactions.change((sql) => this.#tables.garbage.renew(sql, page, until));
  }

  async forget(keys: readonly string[]): Promise<void> {
    for (const page of pagesOfKeys(keys))
      await this.#transactions.change((sql) => this.#tables.garbage.forget(sql, page));
  }

  async known(keys: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    for (const page of pagesOfKeys(keys))
      found.push(...(await this.#transactions.read((sql) => this.#tables.garbage.known(sql, page))));
    return found;
  }

  watchEvents(listener: (tenants: readonly string[]) => void, watched: () => Iterable<string>): () => void {
    return this.#watch.watch(listener, watched);
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#transactions.close();
    this.#cache.clear();
  }

  async #listed<Schemas extends boolean>(
    page: SchemasOption<Schemas>,
    work: (sql: Sql) => Promise<FoundVersions>,
  ): Promise<readonly Listed<Schemas>[]> {
    return listedOf(this.#cache, page, await this.#transactions.read(work));
  }

  async #changed(work: (sql: Transaction) => Promise<FoundVersions>): Promise<VersionRecord> {
    return onlyOf(this.#cache, await this.#transactions.change(work));
  }

  /** A change that the database refuses if it goes beyond the quota. */
  async #within<Answer>(
    quota: TenantQuota | null,
    work: (sql: Transaction) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await this.#transactions.change(work);
    } catch (error) {
      throw (quota && quotaRefusal(error, quota)) ?? error;
    }
  }
}
