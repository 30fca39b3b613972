import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { randomId } from '../../../model/handle.ts';
import type { Restore } from '../../../ports/catalog/versions.ts';
import type { RecordRow } from '../../record-rows.ts';
import { nextVersion, readsNewest } from '../../rules/commit.ts';
import { restoredVersion } from '../../rules/restore.ts';
import { commitAgain, storedCommit } from '../../stored-answers.ts';
import type { WireCommit, WireCommitted, WireRestored } from '../../wire.ts';
import type { Endings } from '../endings/endings.ts';
import type { Events } from '../events/events.ts';
import type { Compactions } from '../maintenance/compactions.ts';
import type { Parts } from '../maintenance/parts.ts';
import type { Usage } from '../tenants/usage.ts';
import type { Attempts } from './attempts.ts';
import type { IdempotencyKeys } from './idempotency.ts';
import type { Logs } from './logs.ts';
import type { Names } from './names.ts';
import type { Records } from './records.ts';
import type { Schemas } from './schemas.ts';

export interface CommitTables {
  readonly attempts: Attempts;
  readonly names: Names;
  readonly records: Records;
  readonly parts: Parts;
  readonly logs: Logs;
  readonly compactions: Compactions;
  readonly schemas: Schemas;
  readonly endings: Endings;
  readonly keys: IdempotencyKeys;
  readonly usage: Usage;
  readonly events: Events;
}

/** Makes the next version of a name. */
export class Commits {
  readonly #tables: CommitTables;
  readonly #insert: StatementSync;

  constructor(db: DatabaseSync, tables: CommitTables) {
    this.#tables = tables;
    this.#insert = db.prepare('INSERT INTO versions VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  }

  commit(change: WireCommit): WireCommitted {
    const attempt = { id: change.part.id, now: change.now };
    return this.#tables.attempts.once(attempt, () => this.#commit(change), {
      keep: storedCommit,
      again: commitAgain,
    });
  }

  restore(change: Restore): WireRestored {
    const attempt = { id: change.attempt, now: change.now };
    return this.#tables.attempts.once(attempt, () => this.#restore(change), {
      keep: storedCommit,
      again: (kept) => {
        const committed = commitAgain(kept);
        return { ...committed, schema: this.#tables.schemas.read(committed.record.hash) };
      },
    });
  }

  #commit(change: WireCommit): WireCommitted {
    const { names, records, parts, compactions, schemas, endings, keys, usage, events } = this.#tables;
    const { tenant, part, idempotency, quota, now } = change;
    const replay = idempotency && keys.replay(tenant, idempotency, now);
    if (replay) return replay;
    const name = names.find(tenant, change.name);
    const newest = name?.newest && readsNewest(change) ? records.row(name.id, name.newest) : null;
    const next = nextVersion(change, { name, newest: newest ?? null }, randomId);
    const { committed, place } = next;
    const { record, created } = committed;

    if (next.expired) endings.expire(next.expired, now);
    const schemaId = schemas.ensure(change.schema);
    const nameId = name?.id ?? names.add(record);
    if (name) names.advance(name.id, record);
    this.#add(nameId, place.log, schemaId, record);
    parts.add(nameId, place, part, now);
    if (place.seq > 0) compactions.mark(nameId, place.log);
    if (quota !== null) usage.check(tenant, quota, created);
    keys.remember(change, committed, schemaId);
    events.add(next.event, now);
    if (next.isTranscoded) parts.addedTranscoded(part.id, now);
    return committed;
  }

  #restore(change: Restore): WireRestored {
    const { names, records, logs, keys, schemas, events } = this.#tables;
    const { tenant, idempotency, now } = change;
    const replay = idempotency && keys.replay(tenant, idempotency, now);
    if (replay) return { ...replay, schema: null };
    const name = names.requireLive(tenant, change.name, now);
    const source = records.source(name.id, change.version);
    if (!source) throw names.versionAbsence(name, change.version, now);
    names.checkNewest(name, change.ifVersion);
    const { committed, event } = restoredVersion(change, name, source, randomId());
    const { record } = committed;

    logs.continue(name.id, record.version, source.log, source.part_count);
    names.advance(name.id, record);
    this.#add(name.id, record.version, source.schema_id, record);
    keys.remember(change, committed, source.schema_id);
    events.add(event, now);
    return { ...committed, schema: schemas.read(record.hash) };
  }

  #add(nameId: number, log: number, schemaId: number, row: RecordRow): void {
    const { version, part_count, rows, bytes, created_at, origin_kind, origin_format, origin_query } = row;
    this.#insert.run(
      ...[nameId, version, log, part_count, rows, bytes, schemaId, created_at, origin_kind, origin_format],
      ...[origin_query, row.restored_from, row.version_id],
    );
  }
}
