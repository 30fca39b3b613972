import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { randomId } from '../../../frames/handle.ts';
import type { FrameEventKind } from '../../../frames/ports/catalog/events.ts';
import { firstForm, putBytes, type Restore } from '../../../frames/ports/catalog/versions.ts';
import { commitAgain, keptCommit } from '../../kept-answers.ts';
import { isLive, type LiveName, type NameRow, nameAbsence } from '../../name-rows.ts';
import { baseSchemaChanged, checkExpected, frameExists, nameConflict } from '../../refusals.ts';
import {
  schemaHashOf,
  type WireCommit,
  type WireCommitted,
  type WireRecord,
  type WireRestored,
} from '../../wire.ts';
import type { Endings } from '../endings/endings.ts';
import type { Events } from '../events/events.ts';
import type { Merges } from '../maintenance/merges.ts';
import type { Parts } from '../maintenance/parts.ts';
import type { Usage } from '../tenants/usage.ts';
import type { Attempts } from './attempts.ts';
import type { IdempotencyKeys } from './idempotency.ts';
import type { Logs } from './logs.ts';
import type { Names } from './names.ts';
import type { Records, VersionRow } from './records.ts';
import type { Schemas } from './schemas.ts';

export interface CommitTables {
  readonly attempts: Attempts;
  readonly names: Names;
  readonly records: Records;
  readonly parts: Parts;
  readonly logs: Logs;
  readonly merges: Merges;
  readonly schemas: Schemas;
  readonly endings: Endings;
  readonly keys: IdempotencyKeys;
  readonly usage: Usage;
  readonly events: Events;
}

/** Its methods that are operations of the catalog. */
export const commitOperations = {
  reads: [],
  writes: ['commit', 'restore'],
} as const;

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
      keep: keptCommit,
      again: commitAgain,
    });
  }

  restore(change: Restore): WireRestored {
    const attempt = { id: change.attempt, now: change.now };
    return this.#tables.attempts.once(attempt, () => this.#restore(change), {
      keep: keptCommit,
      again: (kept) => {
        const committed = commitAgain(kept);
        return { ...committed, schema: this.#tables.schemas.read(schemaHashOf(committed.record)) };
      },
    });
  }

  #commit(change: WireCommit): WireCommitted {
    const { names, endings, keys } = this.#tables;
    if (change.idempotency) {
      const { key, fingerprint, body } = change.idempotency;
      const replay = keys.replay(change.tenant, key, fingerprint, change.now, body);
      if (replay) return replay;
    }
    const found = names.find(change.tenant, change.name);
    const live = isLive(found, change.now) ? found : null;
    this.#checkConditions(change, live);
    const base = change.mode === 'append' ? this.#base(change, live, found) : null;
    if (live) return this.#addVersion(change, live, base);

    // Expired but not swept: that frame ends now, as of its expiry.
    if (!found || found.newest === null) return this.#addVersion(change, found, null);
    endings.expire(found, change.now);
    return { ...this.#addVersion(change, found, null), expired: found.name };
  }

  /** An earlier version becomes the next one: a log that begins with its parts, and nothing is copied. */
  #restore(change: Restore): WireRestored {
    const { names, records, logs, keys, schemas, events } = this.#tables;
    const { tenant, now } = change;
    if (change.idempotency) {
      const { key, fingerprint } = change.idempotency;
      const replay = keys.replay(tenant, key, fingerprint, now);
      if (replay) return { ...replay, schema: null };
    }
    const name = names.requireLive(tenant, change.name, now);
    const source = records.source(name.id, change.version);
    if (!source) throw names.versionAbsence(name, change.version, now);
    names.checkNewest(name, change.ifVersion);

    const version = name.next_version;
    const versionId = randomId();
    const { log, part_count, rows, bytes, schema_id, origin_format: format, origin_query: query } = source;
    logs.continue(name.id, version, log, part_count);
    names.advance(name.id, name.name, version, name.expires_at, now);
    this.#insert.run(
      name.id,
      version,
      version,
      part_count,
      rows,
      bytes,
      schema_id,
      now,
      'restored',
      format,
      query,
      change.version,
      versionId,
    );
    const record: WireRecord = [
      tenant,
      name.name,
      version,
      name.frame_id,
      now,
      name.expires_at,
      rows,
      bytes,
      part_count,
      'restored',
      format,
      source.hash,
      query,
      change.version,
      name.life,
      versionId,
      name.versions_keep,
    ];
    keys.remember(change, { record, created: false }, schema_id);
    events.addRecord('frame.restored', record, now);
    return {
      record,
      created: false,
      replayedColumns: null,
      expired: null,
      schema: schemas.read(source.hash),
    };
  }

  #checkConditions(change: WireCommit, live: LiveName | null): void {
    if (live && live.name !== change.name) throw nameConflict(change.name, live.name);
    if (live && change.mode === 'create') throw frameExists(change.name, live.newest);
    if (live) this.#tables.names.checkNewest(live, change.ifVersion);
    else checkExpected(change.name, change.ifVersion, null);
  }

  /** The version that an append continues. */
  #base(change: WireCommit, live: LiveName | null, found: NameRow | undefined): VersionRow | null {
    const { records } = this.#tables;
    if (!live) throw nameAbsence(found, change.name, change.now);
    const base = records.row(live.id, live.newest) ?? null;
    if (base?.hash !== change.baseSchemaHash) throw baseSchemaChanged(change.name);
    return base;
  }

  #addVersion(change: WireCommit, name: NameRow | undefined, base: VersionRow | null): WireCommitted {
    const { names, parts, merges, schemas, keys, usage, events } = this.#tables;
    const live = isLive(name, change.now) ? name : null;
    const created = live === null;
    const inherited = live?.expires_at ?? null;
    const expiresAt =
      change.mode === 'append' || change.expiresAt === undefined ? inherited : change.expiresAt;
    const schemaId = schemas.ensure(change.schema);
    const version = name?.next_version ?? 1;
    const log = base?.log ?? version;
    const seq = base?.part_count ?? 0;
    const rows = (base?.rows ?? 0) + change.part.rows;
    const bytes = (base?.bytes ?? 0) + putBytes(change.part);
    const frameId = name?.frame_id ?? randomId();
    const versionId = randomId();
    const { kind, format } = change.origin;
    const details = change.origin.query ?? change.origin.text;
    const query = details === undefined ? null : JSON.stringify(details);

    const nameId = name?.id ?? names.add(change.tenant, change.name, frameId, expiresAt, change.now);
    if (name) names.advance(name.id, change.name, version, expiresAt, change.now);
    this.#insert.run(
      nameId,
      version,
      log,
      seq + 1,
      rows,
      bytes,
      schemaId,
      change.now,
      kind,
      format,
      query,
      null,
      versionId,
    );
    parts.add(nameId, log, seq, change.part, change.now);
    if (seq > 0) merges.mark(nameId, log);
    if (change.quota !== null) usage.check(change.tenant, change.quota, created);
    const record: WireRecord = [
      change.tenant,
      change.name,
      version,
      frameId,
      change.now,
      expiresAt,
      rows,
      bytes,
      seq + 1,
      kind,
      format,
      change.schema.hash,
      query,
      null,
      name?.life ?? 0,
      versionId,
      live?.versions_keep ?? null,
    ];
    keys.remember(change, { record, created, added: change.part.rows }, schemaId);
    events.addRecord(eventKind(change.mode, created), record, change.now);
    if (firstForm(change.part).kind === 'parquet') parts.addedSettled(change.part.id, change.now);
    return { record, created, replayedColumns: null, expired: null };
  }
}

function eventKind(mode: WireCommit['mode'], created: boolean): FrameEventKind {
  if (created) return 'frame.created';
  return mode === 'append' ? 'frame.appended' : 'frame.replaced';
}
