import type { DatabaseSync } from 'node:sqlite';
import { Dropped, droppedOperations } from '../endings/dropped.ts';
import { Endings, endingOperations } from '../endings/endings.ts';
import { Sweep, sweepOperations } from '../endings/sweep.ts';
import { Undrops, undropOperations } from '../endings/undrops.ts';
import { Events, eventOperations } from '../events/events.ts';
import { TranscodedFrames } from '../events/transcoded-frames.ts';
import { DamagedObjects, damageOperations } from '../integrity/damage.ts';
import { BacklogTable, backlogOperations } from '../maintenance/backlog.ts';
import { Compactions, compactionOperations } from '../maintenance/compactions.ts';
import { Garbage, garbageOperations } from '../maintenance/garbage.ts';
import { Leases, leaseOperations } from '../maintenance/leases.ts';
import { Parts, partOperations } from '../maintenance/parts.ts';
import { History, historyOperations } from '../queries/history.ts';
import { RelationOids, relationOidOperations } from '../queries/relation-oids.ts';
import { SavedQueries, savedQueryOperations } from '../queries/saved-queries.ts';
import { linkOperations, SignedLinks } from '../tenants/links.ts';
import { Notes, noteOperations } from '../tenants/notes.ts';
import { Shares, shareOperations } from '../tenants/shares.ts';
import { Tenants, tenantOperations } from '../tenants/tenants.ts';
import { Usage, usageOperations } from '../tenants/usage.ts';
import { Attempts } from '../versions/attempts.ts';
import { Commits } from '../versions/commits.ts';
import { FileLayouts, fileLayoutOperations } from '../versions/file-layouts.ts';
import { IdempotencyKeys } from '../versions/idempotency.ts';
import { Logs } from '../versions/logs.ts';
import { Names, nameOperations } from '../versions/names.ts';
import { Pins, pinOperations } from '../versions/pins.ts';
import { Records, recordOperations } from '../versions/records.ts';
import { RowPositionTable, rowPositionOperations } from '../versions/row-positions.ts';
import { Schemas } from '../versions/schemas.ts';
import { Statistics, statisticsOperations } from '../versions/statistics.ts';
import { Tags, tagOperations } from '../versions/tags.ts';
import { VersionParts, versionPartOperations } from '../versions/version-parts.ts';
import type { Operations } from './protocol.ts';
import { pack } from './record-tuples.ts';

export interface OperationTable {
  readonly reads: Partial<Operations>;
  /** They need a transaction around them. */
  readonly writes: Partial<Operations>;
  /** Both. The compiler checks that no operation of the port is missing or has other types. */
  readonly all: Operations;
  /** The tenants that may have new events since it was last called. */
  readonly takeChangedTenants: () => readonly string[];
}

/** Every operation of the catalog on an open database. */
export function createOperations(db: DatabaseSync): OperationTable {
  const names = new Names(db);
  const schemas = new Schemas(db);
  const events = new Events(db);
  const parts = new Parts(db, new TranscodedFrames(db, events));
  const attempts = new Attempts(db);
  const leases = new Leases(db);
  const records = new Records(db, names, schemas, events);
  const keys = new IdempotencyKeys(db, schemas);
  const compactions = new Compactions(db, parts, schemas, leases);
  const shares = new Shares(db, names, events);
  const pins = new Pins(db, names);
  const links = new SignedLinks(db, names, pins);
  const tags = new Tags(db, names, pins, events);
  const notes = new Notes(db, names, events);
  const usage = new Usage(db);
  const tenants = new Tenants(db);
  const logs = new Logs(db, parts, compactions);
  const versionParts = new VersionParts(names, records, logs);
  const statistics = new Statistics(db, names);
  const files = new FileLayouts(db, names);
  const positions = new RowPositionTable(db, names);
  const dropped = new Dropped(db, logs, positions, schemas, statistics, tags);
  const savedQueries = new SavedQueries(db);
  const relationOids = new RelationOids(db);
  const history = new History(db);
  const kept = { attempts, leases, dropped, events, files, history, keys, links, pins };
  const content = {
    logs,
    compactions,
    names,
    parts,
    positions,
    records,
    schemas,
    shares,
    statistics,
    tags,
    usage,
  };
  const endings = new Endings(db, { ...kept, ...content });
  const tables = { ...kept, ...content, endings };
  const commits = new Commits(db, tables);
  const undrops = new Undrops(tables);
  const sweep = new Sweep(db, tables);
  const damaged = new DamagedObjects(db, parts);
  const garbage = new Garbage(db, damaged);

  const reads = {
    ...bound(names, nameOperations.reads),
    ...bound(records, recordOperations.reads),
    ...bound(versionParts, versionPartOperations.reads),
    ...bound(positions, rowPositionOperations.reads),
    ...bound(statistics, statisticsOperations.reads),
    ...bound(files, fileLayoutOperations.reads),
    ...bound(shares, shareOperations.reads),
    ...bound(links, linkOperations.reads),
    ...bound(pins, pinOperations.reads),
    ...bound(tags, tagOperations.reads),
    ...bound(notes, noteOperations.reads),
    ...bound(usage, usageOperations.reads),
    ...bound(tenants, tenantOperations.reads),
    ...bound(parts, partOperations.reads),
    ...bound(garbage, garbageOperations.reads),
    ...bound(new BacklogTable(db), backlogOperations.reads),
    ...bound(damaged, damageOperations.reads),
    ...bound(events, eventOperations.reads),
    ...bound(savedQueries, savedQueryOperations.reads),
    ...bound(history, historyOperations.reads),
    replay: ((tenant, key, fingerprint, now, body) => {
      const answer = keys.replay(tenant, { key, fingerprint, body }, now);
      return answer && pack(answer);
    }) satisfies Operations['replay'],
  };
  const writes = {
    ...bound(records, recordOperations.writes),
    ...bound(statistics, statisticsOperations.writes),
    ...bound(files, fileLayoutOperations.writes),
    ...bound(endings, endingOperations.writes),
    ...bound(undrops, undropOperations.writes),
    ...bound(dropped, droppedOperations.writes),
    ...bound(shares, shareOperations.writes),
    ...bound(links, linkOperations.writes),
    ...bound(pins, pinOperations.writes),
    ...bound(tags, tagOperations.writes),
    ...bound(notes, noteOperations.writes),
    ...bound(parts, partOperations.writes),
    ...bound(compactions, compactionOperations.writes),
    ...bound(sweep, sweepOperations.writes),
    ...bound(leases, leaseOperations.writes),
    ...bound(garbage, garbageOperations.writes),
    ...bound(damaged, damageOperations.writes),
    ...bound(savedQueries, savedQueryOperations.writes),
    ...bound(relationOids, relationOidOperations.writes),
    ...bound(history, historyOperations.writes),
    commit: ((change) => pack(commits.commit(change))) satisfies Operations['commit'],
    restore: ((change) => pack(commits.restore(change))) satisfies Operations['restore'],
  };
  return {
    reads,
    writes,
    all: { ...reads, ...writes },
    takeChangedTenants: () => events.takeChanged(),
  };
}

/** These methods of a table, under their own names. */
function bound<Table extends object, Name extends keyof Table>(
  table: Table,
  names: readonly Name[],
): Pick<Table, Name> {
  const methods = names.map((name) => [name, (table[name] as () => unknown).bind(table)] as const);
  return Object.fromEntries(methods) as unknown as Pick<Table, Name>;
}
