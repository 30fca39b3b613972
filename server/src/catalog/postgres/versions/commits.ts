import { randomId } from '../../../frames/handle.ts';
import type { FrameEventKind } from '../../../frames/ports/catalog/events.ts';
import {
  firstForm,
  type NewParquetPart,
  type NewPart,
  putBytes,
  type TenantQuota,
} from '../../../frames/ports/catalog/versions.ts';
import type { Transaction } from '../../../postgres/database.ts';
import { commitAgain, keptCommit } from '../../kept-answers.ts';
import { isLive, type LiveName, type NameRow, nameAbsence } from '../../name-rows.ts';
import {
  baseSchemaChanged,
  checkExpected,
  frameExists,
  nameConflict,
  refuseOldAttempt,
} from '../../refusals.ts';
import type { WireCommit, WireCommitted, WireRecord } from '../../wire.ts';
import { Outdated } from '../outdated.ts';
import type { Attempts } from './attempts.ts';
import { type IdempotencyKeys, type KeyRow, keyColumns, replayOf } from './idempotency.ts';
import type { Names } from './names.ts';
import { addVersion } from './new-version.ts';
import type { Schemas } from './schemas.ts';

export interface CommitTables {
  readonly attempts: Attempts;
  readonly names: Names;
  readonly schemas: Schemas;
  readonly keys: IdempotencyKeys;
  readonly parts: {
    add(
      sql: Transaction,
      nameId: number,
      log: number,
      seq: number,
      part: NewPart | NewParquetPart,
      now: number,
    ): void;
    addedSettled(sql: Transaction, partId: string, now: number): Promise<void>;
  };
  readonly merges: { mark(sql: Transaction, nameId: number, log: number): void };
  readonly endings: { expire(sql: Transaction, row: NameRow, now: number): Promise<void> };
  readonly usage: {
    check(sql: Transaction, tenant: string, quota: TenantQuota, created: boolean): Promise<void> | void;
  };
  readonly events: {
    addRecord(sql: Transaction, kind: FrameEventKind, record: WireRecord, now: number): void;
  };
}

/** The newest version of the name, which an append continues. */
interface BaseRow {
  readonly log: number;
  readonly part_count: number;
  readonly rows: number;
  readonly bytes: number;
  readonly version_id: string;
  readonly hash: string;
}

/** What else a commit reads, after it has locked the name. */
interface FoundRow extends KeyRow, BaseRow {
  readonly attempt: string | null;
  readonly new_id: number | null;
  readonly has_key: boolean;
  readonly has_newest: boolean;
}

interface Found {
  readonly name: NameRow | undefined;
  /** For a name that was never used. */
  readonly newId: number | null;
  readonly attempt: string | null;
  readonly key: KeyRow | null;
  readonly newest: BaseRow | null;
  readonly schemaId: number | null;
}

/**
 * Makes the next version of a name, in two round trips: what must be known, then all that is written and COMMIT. Locks are taken in this order:
 * the name, its schema (shared), the idempotency key, and the row of the tenant last, because all changes of a tenant wait for that one.
 */
export class Commits {
  readonly #tables: CommitTables;

  constructor(tables: CommitTables) {
    this.#tables = tables;
  }

  async commit(sql: Transaction, change: WireCommit): Promise<WireCommitted> {
    const found = await this.#find(sql, change);
    if (found.attempt !== null) return commitAgain(found.attempt);
    refuseOldAttempt(change.part.id, change.now);
    if (change.idempotency && found.key) {
      const replay = replayOf(found.key, change.idempotency, change.now);
      if (replay) return replay;
    }
    const live = isLive(found.name, change.now) ? found.name : null;
    checkConditions(change, live, found);
    const base = change.mode === 'append' ? baseOf(change, live, found) : null;
    return this.#addVersion(sql, change, found, live, base);
  }

  /** All in one round trip. Each statement sees what was committed before it began: those after the lock see what others did before they gave it up. */
  async #find(sql: Transaction, change: WireCommit): Promise<Found> {
    const { tenant, name, idempotency, part, schema } = change;
    const [locked, row, schemaId] = await Promise.all([
      this.#tables.names.lock(sql, tenant, name),
      sql.first<FoundRow>(
        `SELECT (SELECT answer FROM attempts WHERE id = $1) AS attempt,
           CASE WHEN n.id IS NULL THEN nextval('names_id_seq') END AS new_id,
           k.key IS NOT NULL AS has_key, ${keyColumns},
           v.version IS NOT NULL AS has_newest, v.log, v.part_count, v.rows, v.bytes, v.version_id, s.hash
         FROM (SELECT) AS one
         LEFT JOIN names n ON n.tenant = $2 AND n.lower = $3
         LEFT JOIN versions v ON v.name_id = n.id AND v.version = n.newest
         LEFT JOIN schemas s ON s.id = v.schema_id
         LEFT JOIN idempotency k ON k.tenant = $2 AND k.key = $4
         LEFT JOIN schemas ks ON ks.id = k.schema_id`,
        [part.id, tenant, name.toLowerCase(), idempotency?.key ?? null],
      ),
      this.#tables.schemas.use(sql, schema.hash),
    ]);
    // Between the two statements another transaction has added the name.
    if (row === undefined || (locked === undefined) !== (row.new_id !== null)) throw new Outdated();
    return {
      name: locked,
      newId: row.new_id,
      attempt: row.attempt,
      key: row.has_key ? row : null,
      newest: row.has_newest ? row : null,
      schemaId,
    };
  }

  async #addVersion(
    sql: Transaction,
    change: WireCommit,
    { name, newId, key, ...found }: Found,
    live: LiveName | null,
    base: BaseRow | null,
  ): Promise<WireCommitted> {
    const { attempts, names, parts, merges, schemas, keys, endings, usage, events } = this.#tables;
    const { tenant, part, now } = change;
    const record = recordOf(change, name, live, base);
    const [, , version, frameId, , expiresAt, , , partCount] = record;
    const created = live === null;
    // Expired but not swept: that frame ends now, as of its expiry.
    const expired = created && name !== undefined && name.newest !== null ? name : null;
    const committed = { record, created, replayedColumns: null, expired: expired?.name ?? null };
    if (expired) await endings.expire(sql, expired, now);
    // What has just ended may have been the last to have the schema.
    const known = expired ? null : found.schemaId;
    const schemaId = known ?? (await schemas.ensure(sql, change.schema));

    await keys.remember(sql, change, { record, created, added: part.rows }, schemaId, key);
    attempts.add(sql, { id: part.id, now }, keptCommit(committed) ?? '');
    const nameId = name?.id ?? (newId as number);
    if (name) names.advance(sql, nameId, change.name, version, expiresAt, now);
    else names.add(sql, { id: nameId, tenant, name: change.name, frameId, expiresAt, now });
    const log = base?.log ?? version;
    addVersion(sql, { nameId, log, schemaId, record });
    if (base) merges.mark(sql, nameId, log);
    parts.add(sql, nameId, log, partCount - 1, part, now);
    if (change.quota !== null) await usage.check(sql, tenant, change.quota, created);
    events.addRecord(sql, eventKind(change.mode, created), record, now);
    if (firstForm(part).kind === 'parquet') await parts.addedSettled(sql, part.id, now);
    return committed;
  }
}

function checkConditions(change: WireCommit, live: LiveName | null, { newest }: Found): void {
  if (live && live.name !== change.name) throw nameConflict(change.name, live.name);
  if (live && change.mode === 'create') throw frameExists(change.name, live.newest);
  checkExpected(
    change.name,
    change.ifVersion,
    live && { version: live.newest, versionId: newest?.version_id ?? '' },
  );
}

function baseOf(change: WireCommit, live: LiveName | null, { name, newest }: Found): BaseRow {
  if (!live) throw nameAbsence(name, change.name, change.now);
  if (newest === null || newest.hash !== change.baseSchemaHash) throw baseSchemaChanged(change.name);
  return newest;
}

function recordOf(
  change: WireCommit,
  name: NameRow | undefined,
  live: LiveName | null,
  base: BaseRow | null,
): WireRecord {
  const inherited = live?.expires_at ?? null;
  const { kind, format } = change.origin;
  const details = change.origin.query ?? change.origin.text;
  return [
    change.tenant,
    change.name,
    name?.next_version ?? 1,
    name?.frame_id ?? randomId(),
    change.now,
    change.mode === 'append' || change.expiresAt === undefined ? inherited : change.expiresAt,
    (base?.rows ?? 0) + change.part.rows,
    (base?.bytes ?? 0) + putBytes(change.part),
    (base?.part_count ?? 0) + 1,
    kind,
    format,
    change.schema.hash,
    details === undefined ? null : JSON.stringify(details),
    null,
    name?.life ?? 0,
    randomId(),
    live?.versions_keep ?? null,
  ];
}

function eventKind(mode: WireCommit['mode'], created: boolean): FrameEventKind {
  if (created) return 'frame.created';
  return mode === 'append' ? 'frame.appended' : 'frame.replaced';
}
