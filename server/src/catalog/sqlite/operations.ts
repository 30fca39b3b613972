import type { DatabaseSync } from 'node:sqlite';
import { frameNotFound } from '../refusals.ts';
import { Commits } from './commits.ts';
import { Endings } from './endings.ts';
import { Garbage } from './garbage.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { Names } from './names.ts';
import { Parts } from './parts.ts';
import type { ReadOperations, WriteOperations } from './protocol.ts';
import { Records } from './records.ts';
import { Schemas } from './schemas.ts';
import { Sweep } from './sweep.ts';

/** Every operation of the catalog on an open database; writes want a transaction around them. */
export function createOperations(db: DatabaseSync): { reads: ReadOperations; writes: WriteOperations } {
  const names = new Names(db);
  const schemas = new Schemas(db);
  const parts = new Parts(db);
  const records = new Records(db, names, schemas);
  const keys = new IdempotencyKeys(db, schemas);
  const endings = new Endings(db, names, parts, schemas);
  const commits = new Commits(db, { names, records, parts, schemas, endings, keys });
  const sweep = new Sweep(db, endings, keys);
  const garbage = new Garbage(db);

  const reads: ReadOperations = {
    resolve: (tenant, name, version, now) => records.resolve(tenant, name, version, now),
    parts(tenant, name, version) {
      const row = names.find(tenant, name);
      if (row?.name !== name) throw frameNotFound(name, version);
      const found = records.row(row.id, version);
      if (!found) throw names.versionAbsence(row, version, null);
      return parts.ofLog(row.id, found.log, found.part_count);
    },
    replay(tenant, key, fingerprint, now) {
      const replay = keys.replay(tenant, key, fingerprint, now);
      return replay
        ? { record: replay.record, created: replay.created, replayedSchema: replay.schema }
        : null;
    },
    list: (tenant, page, now) => records.list(tenant, page, now),
    versions: (tenant, name, page, now) => records.versions(tenant, name, page, now),
    unsettled: (limit) => parts.unsettled(limit),
    belowLevel: (level, limit) => parts.belowLevel(level, limit),
    unpacked: (limit) => parts.unpacked(limit),
    arrowBytes: () => parts.arrowBytes(),
    evictable: (limit) => parts.evictable(limit),
    garbage: (limit) => garbage.some(limit),
    known: (candidates) => garbage.known(candidates),
    ping() {
      names.find('', '');
    },
  };

  const writes: WriteOperations = {
    commit: (change) => commits.commit(change),
    expire(tenant, name, expiresAt, now) {
      const row = names.requireLive(tenant, name, now);
      names.setExpiry(row.id, expiresAt);
      return records.newest(row);
    },
    drop: (tenant, name, version, ifVersion, now) => endings.drop(tenant, name, version, ifVersion, now),
    addForm: (partId, form) => parts.addForm(partId, form),
    refuseSettling: (partId, reason) => parts.refuseSettling(partId, reason),
    replaceForm: (partId, form, level) => parts.replaceForm(partId, form, level),
    keepForm: (partId, kind, level) => parts.keepForm(partId, kind, level),
    evict: (partId) => parts.evict(partId),
    sweep: (versionsKeep, now) => sweep.step(versionsKeep, now),
    forget: (removed) => garbage.forget(removed),
  };
  return { reads, writes };
}
