import type { DatabaseSync } from 'node:sqlite';
import { frameNotFound } from '../refusals.ts';
import { Attempts } from './attempts.ts';
import { Commits } from './commits.ts';
import { DamagedObjects } from './damage.ts';
import { Dropped } from './dropped.ts';
import { Endings } from './endings.ts';
import { Garbage } from './garbage.ts';
import { IdempotencyKeys } from './idempotency.ts';
import { Logs } from './logs.ts';
import { Merges } from './merges.ts';
import { Names } from './names.ts';
import { Parts } from './parts.ts';
import { type ReadOperations, schemaHashOf, type WireCommitted, type WriteOperations } from './protocol.ts';
import { Records } from './records.ts';
import { Schemas } from './schemas.ts';
import { Shares } from './shares.ts';
import { Sweep } from './sweep.ts';
import { Tenants } from './tenants.ts';
import { Undrops } from './undrops.ts';
import { Usage } from './usage.ts';

/** Every operation of the catalog on an open database; writes want a transaction around them. */
export function createOperations(db: DatabaseSync): { reads: ReadOperations; writes: WriteOperations } {
  const names = new Names(db);
  const schemas = new Schemas(db);
  const parts = new Parts(db);
  const records = new Records(db, names, schemas);
  const keys = new IdempotencyKeys(db, schemas);
  const merges = new Merges(db, parts, schemas);
  const shares = new Shares(db, names);
  const usage = new Usage(db);
  const tenants = new Tenants(db);
  const logs = new Logs(db, parts, merges);
  const dropped = new Dropped(db, logs, schemas);
  const endings = new Endings(db, { names, logs, dropped, schemas, shares });
  const commits = new Commits(db, { names, records, parts, logs, merges, schemas, endings, keys, usage });
  const undrops = new Undrops({ names, records, endings, dropped, usage });
  const attempts = new Attempts(db);
  const sweep = new Sweep(db, endings, dropped, keys, attempts);
  const garbage = new Garbage(db);
  const damaged = new DamagedObjects(db, parts);

  const reads: ReadOperations = {
    resolve: (tenant, name, version, now) => records.resolve(tenant, name, version, now),
    parts(tenant, name, version) {
      const row = names.find(tenant, name);
      if (row?.name !== name) throw frameNotFound(name, version);
      const found = records.row(row.id, version);
      if (!found) throw names.versionAbsence(row, version, null);
      return logs.partsOf(row.id, found.log, found.part_count);
    },
    replay: (tenant, key, fingerprint, now) => keys.replay(tenant, key, fingerprint, now),
    names: (tenant, page, now) => records.names(tenant, page, now),
    list: (tenant, page, now) => records.list(tenant, page, now),
    listWhole: (tenant, page, now) => records.whole(records.list(tenant, page, now)),
    versions: (tenant, name, page, now) => records.versions(tenant, name, page, now),
    versionsWhole: (tenant, name, page, now) => records.whole(records.versions(tenant, name, page, now)),
    shares: (tenant, name, now) => shares.list(tenant, name, now),
    isShared: (tenant, name, reader) => shares.has(tenant, name, reader),
    shared: (reader, page, now) => records.shared(reader, page, now),
    sharedWhole: (reader, page, now) => records.whole(records.shared(reader, page, now)),
    usage: (tenant) => usage.of(tenant),
    tenants: (after, limit) => tenants.page(after, limit),
    tenantShares: (tenant) => tenants.shares(tenant),
    unsettled: (limit, smallBefore) => parts.unsettled(limit, smallBefore),
    belowLevel: (level, limit) => parts.belowLevel(level, limit),
    unpacked: (limit) => parts.unpacked(limit),
    arrowBytes: () => parts.arrowBytes(),
    evictable: (limit) => parts.evictable(limit),
    garbage: (after, limit) => garbage.page(after, limit),
    known: (candidates) => garbage.known(candidates),
    objects: (after, limit) => damaged.objects(after, limit),
    knownDamage: () => damaged.known(),
    scrubState: () => damaged.scrubState(),
    integrity: () => damaged.integrity(),
    ping() {
      names.find('', '');
    },
  };

  const writes: WriteOperations = {
    commit: (change) =>
      attempts.once({ id: change.part.id, now: change.now }, () => commits.commit(change), {
        keep: keptCommit,
        again: commitAgain,
      }),
    expire(tenant, name, expiresAt, now) {
      const row = names.requireLive(tenant, name, now);
      names.setExpiry(row.id, expiresAt);
      return records.newest(row);
    },
    restore: (change) =>
      attempts.once({ id: change.attempt, now: change.now }, () => commits.restore(change), {
        keep: keptCommit,
        again(kept) {
          const committed = commitAgain(kept);
          return { ...committed, schema: schemas.read(schemaHashOf(committed.record)) };
        },
      }),
    drop: (change) =>
      attempts.once({ id: change.attempt, now: change.now }, () => endings.drop(change), {
        keep: () => '',
        again: () => {},
      }),
    undrop: (change) =>
      attempts.once({ id: change.attempt, now: change.now }, () => undrops.undrop(change), {
        keep: () => '',
        again() {
          const { tenant, name, now } = change;
          return { found: records.newest(names.requireLive(tenant, name, now)), expired: null };
        },
      }),
    purge: (tenant, name) => undrops.purge(tenant, name),
    releaseDropped: (bytesWanted) => dropped.releaseOldest(bytesWanted),
    share: (tenant, name, reader, now) => shares.add(tenant, name, reader, now),
    unshare: (tenant, name, reader, now) => shares.remove(tenant, name, reader, now),
    addForm: (partId, form) => parts.addForm(partId, form),
    refuseSettling: (partId, reason) => parts.refuseSettling(partId, reason),
    replaceForm: (partId, before, form, level) => parts.replaceForm(partId, before, form, level),
    keepForm: (partId, kind, level) => parts.keepForm(partId, kind, level),
    evict: (partId) => parts.evict(partId),
    mergeable: (bounds) => merges.next(bounds),
    merge: (partIds, part, now) => merges.merge(partIds, part, now),
    refuseMerging: (partId, reason) => merges.refuse(partId, reason),
    sweep: (versionsKeep, versionsSince, now) => sweep.step(versionsKeep, versionsSince, now),
    forget(removed) {
      garbage.forget(removed);
      damaged.forget(removed);
    },
    markDamaged: (key, fault, now) => damaged.mark(key, fault, now),
    clearDamage: (key) => damaged.clear(key),
    saveScrubState: (state) => damaged.saveScrubState(state),
  };
  return { reads, writes };
}

/** A replay of an idempotency key has changed nothing. */
function keptCommit({ record, created, replayedColumns, expired }: WireCommitted): string | null {
  return replayedColumns === null ? JSON.stringify({ record, created, expired }) : null;
}

function commitAgain(kept: string): WireCommitted {
  const answer = JSON.parse(kept) as Pick<WireCommitted, 'record' | 'created' | 'expired'>;
  return { ...answer, replayedColumns: null, isRepeated: true };
}
