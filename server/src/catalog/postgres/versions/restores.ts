import { randomId } from '../../../frames/handle.ts';
import type { Restore } from '../../../frames/ports/catalog/versions.ts';
import type { Transaction } from '../../../postgres/database.ts';
import { commitAgain, keptCommit } from '../../kept-answers.ts';
import { type LiveName, type NameRow, requireLiveRow } from '../../name-rows.ts';
import { answerNotKept, refuseOldAttempt } from '../../refusals.ts';
import { schemaHashOf, type WireCommitted, type WireRecord, type WireRestored } from '../../wire.ts';
import type { CommitTables } from './commits.ts';
import { type KeyRow, keyColumns, replayOf } from './idempotency.ts';
import type { Logs } from './logs.ts';
import { addVersion } from './new-version.ts';

export interface RestoreTables
  extends Pick<CommitTables, 'attempts' | 'names' | 'schemas' | 'keys' | 'events'> {
  readonly logs: Logs;
}

/** What a restore takes over from the version that it restores. */
interface SourceRow {
  readonly log: number;
  readonly part_count: number;
  readonly rows: number;
  readonly bytes: number;
  readonly hash: string;
  readonly schema_id: number;
  readonly origin_format: string;
  readonly origin_query: string | null;
}

interface FoundRow extends KeyRow, SourceRow {
  readonly attempt: string | null;
  readonly has_key: boolean;
  readonly has_source: boolean;
}

/** An earlier version becomes the next one: a log that begins with its parts, and nothing is copied. */
export class Restores {
  readonly #tables: RestoreTables;

  constructor(tables: RestoreTables) {
    this.#tables = tables;
  }

  async restore(sql: Transaction, change: Restore): Promise<WireRestored> {
    const { name: locked, ...found } = await this.#find(sql, change);
    if (found.attempt !== null) return this.#again(sql, commitAgain(found.attempt));
    refuseOldAttempt(change.attempt, change.now);
    if (change.idempotency && found.key) {
      const replay = replayOf(found.key, change.idempotency, change.now);
      if (replay) return { ...replay, schema: null };
    }
    const name = requireLiveRow(locked, change.name, change.now);
    if (!found.source) throw await this.#tables.names.versionAbsence(sql, name, change.version, change.now);
    await this.#tables.names.checkNewest(sql, name, change.ifVersion);
    return this.#restore(sql, change, name, found.source, found.key);
  }

  async #find(sql: Transaction, { attempt, tenant, name, version, idempotency }: Restore) {
    const [locked, row] = await Promise.all([
      this.#tables.names.lock(sql, tenant, name),
      sql.first<FoundRow>(
        `SELECT (SELECT answer FROM attempts WHERE id = $1) AS attempt, k.key IS NOT NULL AS has_key, ${keyColumns},
           v.version IS NOT NULL AS has_source, v.log, v.part_count, v.rows, v.bytes, s.hash, v.schema_id,
           v.origin_format, v.origin_query
         FROM (SELECT) AS one
         LEFT JOIN names n ON n.tenant = $2 AND n.lower = $3
         LEFT JOIN versions v ON v.name_id = n.id AND v.version = $4
         LEFT JOIN schemas s ON s.id = v.schema_id
         LEFT JOIN idempotency k ON k.tenant = $2 AND k.key = $5
         LEFT JOIN schemas ks ON ks.id = k.schema_id`,
        [attempt, tenant, name.toLowerCase(), version, idempotency?.key ?? null],
      ),
    ]);
    return {
      name: locked as NameRow | undefined,
      attempt: row?.attempt ?? null,
      key: row?.has_key ? (row as KeyRow) : null,
      source: row?.has_source ? (row as SourceRow) : null,
    };
  }

  async #restore(
    sql: Transaction,
    change: Restore,
    name: LiveName,
    source: SourceRow,
    key: KeyRow | null,
  ): Promise<WireRestored> {
    const { attempts, names, schemas, keys, events, logs } = this.#tables;
    const { attempt: id, tenant, now } = change;
    const version = name.next_version;
    const record: WireRecord = [
      tenant,
      name.name,
      version,
      name.frame_id,
      now,
      name.expires_at,
      source.rows,
      source.bytes,
      source.part_count,
      'restored',
      source.origin_format,
      source.hash,
      source.origin_query,
      change.version,
      name.life,
      randomId(),
      name.versions_keep,
    ];
    const committed: WireCommitted = { record, created: false, replayedColumns: null, expired: null };
    const schema = await schemas.read(sql, source.hash);
    await keys.remember(sql, change, { record, created: false }, source.schema_id, key);
    attempts.add(sql, { id, now }, keptCommit(committed) ?? '');
    await logs.continue(sql, name.id, version, source.log, source.part_count);
    names.advance(sql, name.id, name.name, version, name.expires_at, now);
    addVersion(sql, { nameId: name.id, log: version, schemaId: source.schema_id, record });
    events.addRecord(sql, 'frame.restored', record, now);
    return { ...committed, schema };
  }

  async #again(sql: Transaction, committed: WireCommitted): Promise<WireRestored> {
    const [schema] = await this.#tables.schemas.readAll(sql, [schemaHashOf(committed.record)]);
    if (!schema) throw answerNotKept(committed.record[1], committed.record[2]);
    return { ...committed, schema };
  }
}
