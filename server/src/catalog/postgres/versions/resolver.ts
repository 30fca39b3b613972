import { FairQueue } from '../../../base/fair-queue.ts';
import { FrameholdError } from '../../../model/errors.ts';
import type { SchemaRecord, VersionRecord } from '../../../model/version.ts';
import type { Sql } from '../../../postgres/database.ts';
import { withSchema } from '../../described-records.ts';
import { type NameRow, requireLiveRow } from '../../name-rows.ts';
import type { RecordCache } from '../../record-cache.ts';
import type { RecordRow } from '../../record-rows.ts';
import { frameNotFound } from '../../refusals.ts';
import {
  listedVersionsMax,
  requireSpelling,
  requireUnexpired,
  suggesting,
  suggestsVersions,
} from '../../rules/resolve.ts';
import { schemaOfWire } from '../../schema-records.ts';
import type { Transactions } from '../transactions.ts';
import type { Names } from './names.ts';
import { columnsOfOne } from './records.ts';
import type { Schemas } from './schemas.ts';

export interface ResolverTables {
  readonly names: Names;
  readonly schemas: Schemas;
  readonly cache: RecordCache;
  /** Stored bytes were found damaged, by whichever node: what was read before may not be repeated. */
  readonly onDamage: () => void;
  /** A statement was answered. */
  readonly onLookup: (durationMs: number) => void;
}

interface Wanted {
  readonly tenant: string;
  readonly name: string;
  readonly version: number | null;
  readonly now: number;
  /** What is known of it, and the name's number of changes when it was read. */
  readonly known: CachedRecord | null;
  readonly resolve: (record: VersionRecord) => void;
  readonly reject: (error: unknown) => void;
}

interface CachedRecord {
  readonly record: VersionRecord;
  readonly change: number;
}

/** What is to be done with one of a batch. */
type Answer = (wanted: Wanted) => void;

interface ChangeRow {
  readonly damage_epoch: number;
  /** null if there is no such name. */
  readonly change: number | null;
}

/** Of what is known and has not changed, only the first two columns. */
interface FoundRow extends Omit<RecordRow, 'version' | 'hash'>, NameRow, ChangeRow {
  /** null if the name has no such version. */
  readonly version: number | null;
  readonly hash: string | null;
}

/** A statement of so many takes PostgreSQL some 2 ms. */
const batchMax = 500;
/** While so many are on their way, further requests gather: under load each statement answers more of them. */
const batchesMax = 4;
/** As for changes: who waits longer has been given an error long before. */
const waitingMax = 10_000;

/** Most of what is asked for is known, and has not changed: an answer of two columns costs half as much as one of all of them. */
const changesStatement = `
  SELECT c.damage_epoch, n.change
  FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS q (tenant, lower, place)
  CROSS JOIN catalog_state c
  LEFT JOIN names n ON n.tenant = q.tenant AND n.lower = q.lower
  ORDER BY q.place`;

const statement = `
  SELECT (SELECT damage_epoch FROM catalog_state WHERE id = 1) AS damage_epoch, o.change,
    n.id, n.next_version, n.newest, n.kept, n.ended_reason, n.ended_at, ${columnsOfOne}
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS q (tenant, lower, version, known, place)
  LEFT JOIN names o ON o.tenant = q.tenant AND o.lower = q.lower
  LEFT JOIN names n ON n.id = o.id AND o.change IS DISTINCT FROM q.known
  LEFT JOIN versions v ON v.name_id = n.id AND v.version = coalesce(q.version, n.newest)
  LEFT JOIN schemas s ON s.id = v.schema_id
  ORDER BY q.place`;

/**
 * Versions by name. The catalog is asked each time, so that a change is visible on every node once it was acknowledged; but what is asked for in one
 * turn is one statement, and a record that has not changed since it was last read does not come again.
 */
export class Resolver {
  readonly #database: Transactions;
  readonly #tables: ResolverTables;
  /** Of the records in the cache. */
  readonly #changes = new WeakMap<VersionRecord, number>();
  readonly #waiting = new FairQueue<Wanted>();
  #batches = 0;
  #isScheduled = false;
  #damageEpoch: number | null = null;

  constructor(database: Transactions, tables: ResolverTables) {
    this.#database = database;
    this.#tables = tables;
  }

  resolve(tenant: string, name: string, version: number | null, now: number): Promise<VersionRecord> {
    if (this.#waiting.size >= waitingMax) {
      const other = this.#waiting.displace(tenant);
      if (other === undefined) return Promise.reject(tooMany());
      other.reject(tooMany());
    }
    const record = this.#tables.cache.get(tenant, name, version, now);
    const change = record && this.#changes.get(record);
    const known = record && change !== undefined ? { record, change } : null;
    return new Promise((resolve, reject) => {
      this.#waiting.add(tenant, { tenant, name, version, now, known, resolve, reject });
      this.#schedule();
    });
  }

  /** At the end of the turn: callers that were answered together ask again together. */
  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0 || this.#batches >= batchesMax) return;
    this.#isScheduled = true;
    process.nextTick(() => {
      this.#isScheduled = false;
      const batch = this.#nextBatch();
      this.#batches++;
      void this.#answer(batch).finally(() => {
        this.#batches--;
        this.#schedule();
      });
      this.#schedule();
    });
  }

  #nextBatch(): readonly Wanted[] {
    const batch: Wanted[] = [];
    while (batch.length < batchMax) {
      const wanted = this.#waiting.take();
      if (wanted === undefined) break;
      batch.push(wanted);
    }
    return batch;
  }

  async #answer(batch: readonly Wanted[]): Promise<void> {
    try {
      const sent = performance.now();
      const answers = await this.#database.read((sql) => this.#ask(sql, batch));
      this.#tables.onLookup(performance.now() - sent);
      for (const [index, wanted] of batch.entries()) {
        (answers[index] ?? tooFew)(wanted);
      }
    } catch (error) {
      for (const wanted of batch) wanted.reject(error);
    }
  }

  /** For each of them what is to be done with it. */
  async #ask(sql: Sql, batch: readonly Wanted[]): Promise<Answer[]> {
    if (batch.some(({ known }) => known === null)) return await this.#askWhole(sql, batch);
    const rows = await sql.rows<ChangeRow>(changesStatement, [
      batch.map(({ tenant }) => tenant),
      batch.map(({ name }) => name.toLowerCase()),
    ]);
    this.#noticeDamage(rows[0]?.damage_epoch ?? 0);
    const isSame = (wanted: Wanted, index: number) => wanted.known?.change === rows[index]?.change;
    const changed = batch.filter((wanted, index) => !isSame(wanted, index));
    const answers = changed.length === 0 ? [] : await this.#askWhole(sql, changed);
    let next = 0;
    return batch.map((wanted, index) => (isSame(wanted, index) ? asKnown : (answers[next++] ?? tooFew)));
  }

  async #askWhole(sql: Sql, batch: readonly Wanted[]): Promise<Answer[]> {
    const rows = await sql.rows<FoundRow>(statement, [
      batch.map(({ tenant }) => tenant),
      batch.map(({ name }) => name.toLowerCase()),
      batch.map(({ version }) => version),
      batch.map(({ known }) => known?.change ?? null),
    ]);
    this.#noticeDamage(rows[0]?.damage_epoch ?? 0);
    const schemas = await this.#schemasOf(sql, rows);
    return rows.map((row) => (wanted) => {
      try {
        this.#take(wanted, row, schemas);
      } catch (error) {
        wanted.reject(error);
      }
    });
  }

  #noticeDamage(epoch: number): void {
    // Not only a higher one: a catalog that was restored goes back. An answer that was overtaken by a later one makes nodes forget in vain.
    const isOther = this.#damageEpoch !== null && epoch !== this.#damageEpoch;
    this.#damageEpoch = epoch;
    if (isOther) this.#tables.onDamage();
  }

  async #schemasOf(sql: Sql, rows: readonly FoundRow[]): Promise<ReadonlyMap<string, SchemaRecord>> {
    const { cache, schemas } = this.#tables;
    const found = new Map<string, SchemaRecord>();
    const unknown = new Set<string>();
    for (const { hash } of rows) {
      if (hash === null) continue;
      const known = cache.schema(hash);
      if (known) found.set(hash, known);
      else unknown.add(hash);
    }
    for (const schema of await schemas.readAll(sql, [...unknown]))
      found.set(schema.hash, schemaOfWire(cache, schema));
    return found;
  }

  #take(wanted: Wanted, row: FoundRow, schemas: ReadonlyMap<string, SchemaRecord>): void {
    const { name, version, now, known, resolve } = wanted;
    if (row.change === null) throw frameNotFound(name, version);
    if (known?.change === row.change) {
      resolve(known.record);
      return;
    }
    if (version === null) requireLiveRow(row, name, now);
    else requireSpelling(row, name, version, now);
    if (row.version === null || row.hash === null) {
      void this.#explainAbsence(wanted, row);
      return;
    }
    requireUnexpired(row, row.version, now);
    const schema = schemas.get(row.hash);
    if (schema === undefined) {
      // The version has ended since the statement: the next one says so.
      this.resolve(wanted.tenant, name, version, now).then(resolve, wanted.reject);
      return;
    }
    const record = withSchema({ ...row, version: row.version, hash: row.hash }, schema);
    this.#changes.set(record, row.change);
    this.#tables.cache.put(record, version);
    resolve(record);
  }

  /** The name is known, and the version is not there (any more). */
  async #explainAbsence({ version, now, reject }: Wanted, row: FoundRow): Promise<void> {
    try {
      reject(
        await this.#database.read(async (sql) => {
          const absence = await this.#tables.names.versionAbsence(sql, row, version ?? 0, now);
          if (!suggestsVersions(absence, row, now)) return absence;
          const kept = await sql.rows<{ version: number }>(
            'SELECT version FROM versions WHERE name_id = $1 ORDER BY version DESC LIMIT $2',
            [row.id, listedVersionsMax],
          );
          return suggesting(
            absence,
            row,
            kept.map((each) => each.version),
          );
        }),
      );
    } catch (error) {
      reject(error);
    }
  }
}

function asKnown({ known, resolve, reject }: Wanted): void {
  if (known === null) tooFew({ reject });
  else resolve(known.record);
}

function tooMany(): FrameholdError {
  return new FrameholdError('overloaded', 'Too many requests wait for the catalog.', {
    hint: 'Try again in a moment.',
  });
}

function tooFew({ reject }: Pick<Wanted, 'reject'>): void {
  reject(new Error('The catalog answered too few rows.'));
}
