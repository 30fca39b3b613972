import { randomId } from '../../../model/handle.ts';
import type { Restore } from '../../../ports/catalog/versions.ts';
import type { Transaction } from '../../../postgres/database.ts';
import { type LiveName, type NameRow, requireLiveRow } from '../../name-rows.ts';
import { answerNotCached, refuseOldAttempt } from '../../refusals.ts';
import { type KeyRow, replayOf } from '../../rules/idempotency.ts';
import { restoredVersion, type SourceRow } from '../../rules/restore.ts';
import { commitAgain, storedCommit } from '../../stored-answers.ts';
import type { WireCommitted, WireRestored } from '../../wire.ts';
import type { CommitTables } from './commits.ts';
import { keyColumns } from './idempotency.ts';
import type { Logs } from './logs.ts';
import { addVersion } from './new-version.ts';

export interface RestoreTables
  extends Pick<CommitTables, 'attempts' | 'names' | 'schemas' | 'keys' | 'events'> {
  readonly logs: Logs;
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
    const { attempt: id, now } = change;
    const { committed, event } = restoredVersion(change, name, source, randomId());
    const { record } = committed;
    const schema = await schemas.read(sql, source.hash);
    await keys.remember(sql, change, committed, source.schema_id, key);
    attempts.add(sql, { id, now }, storedCommit(committed) ?? '');
    await logs.continue(sql, name.id, record.version, source.log, source.part_count);
    names.advance(sql, name.id, record);
    addVersion(sql, { nameId: name.id, log: record.version, schemaId: source.schema_id, record });
    events.add(sql, event, now);
    return { ...committed, schema };
  }

  async #again(sql: Transaction, committed: WireCommitted): Promise<WireRestored> {
    const [schema] = await this.#tables.schemas.readAll(sql, [committed.record.hash]);
    if (!schema) throw answerNotCached(committed.record.name, committed.record.version);
    return { ...committed, schema };
  }
}
