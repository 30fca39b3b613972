import { Dropped } from './endings/dropped.ts';
import { Endings } from './endings/endings.ts';
import { Sweep } from './endings/sweep.ts';
import { Undrops } from './endings/undrops.ts';
import { Events } from './events/events.ts';
import { TranscodedFrames } from './events/transcoded-frames.ts';
import { DamagedObjects } from './integrity/damage.ts';
import { Integrity } from './integrity/integrity.ts';
import { BacklogTable } from './maintenance/backlog.ts';
import { Compactions } from './maintenance/compactions.ts';
import { Garbage } from './maintenance/garbage.ts';
import { Leases } from './maintenance/leases.ts';
import { Parts } from './maintenance/parts.ts';
import { History } from './queries/history.ts';
import { RelationOids } from './queries/relation-oids.ts';
import { SavedQueries } from './queries/saved-queries.ts';
import { SignedLinks } from './tenants/links.ts';
import { Notes } from './tenants/notes.ts';
import { Shares } from './tenants/shares.ts';
import { Tenants } from './tenants/tenants.ts';
import { Usage } from './tenants/usage.ts';
import { Attempts } from './versions/attempts.ts';
import { Commits } from './versions/commits.ts';
import { Expiry } from './versions/expiry.ts';
import { FileLayouts } from './versions/file-layouts.ts';
import { IdempotencyKeys } from './versions/idempotency.ts';
import { Logs } from './versions/logs.ts';
import { Names } from './versions/names.ts';
import { Pins } from './versions/pins.ts';
import { Records } from './versions/records.ts';
import { Restores } from './versions/restores.ts';
import { RowPositionTable } from './versions/row-positions.ts';
import { Schemas } from './versions/schemas.ts';
import { Statistics } from './versions/statistics.ts';
import { Tags } from './versions/tags.ts';
import { VersionParts } from './versions/version-parts.ts';

/** The tables of the catalog. They hold no connection: each method is given the transaction in which it is to run. */
export function createTables() {
  const names = new Names();
  const schemas = new Schemas();
  const events = new Events();
  const attempts = new Attempts();
  const leases = new Leases();
  const usage = new Usage();
  const statistics = new Statistics();
  const files = new FileLayouts();
  const parts = new Parts(new TranscodedFrames(events));
  const compactions = new Compactions(parts, schemas);
  const logs = new Logs(parts, compactions);
  const records = new Records(names, schemas);
  const keys = new IdempotencyKeys(schemas);
  const shares = new Shares(names, events);
  const pins = new Pins(names);
  const links = new SignedLinks(names, pins);
  const tags = new Tags(names, pins, events);
  const notes = new Notes(names, events);
  const positions = new RowPositionTable(names);
  const dropped = new Dropped(logs, positions, schemas, statistics, tags);
  const history = new History();
  const damaged = new DamagedObjects(parts);
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
  const endings = new Endings({ ...kept, ...content });
  const tables = { ...kept, ...content, endings };
  return {
    ...tables,
    notes,
    damaged,
    tenants: new Tenants(),
    versionParts: new VersionParts(names),
    commits: new Commits(tables),
    restores: new Restores(tables),
    expiry: new Expiry(names, records, events),
    undrops: new Undrops(tables),
    sweep: new Sweep(tables),
    garbage: new Garbage(damaged),
    backlog: new BacklogTable(),
    savedQueries: new SavedQueries(),
    relationOids: new RelationOids(),
    integrity: new Integrity(),
  };
}

export type Tables = ReturnType<typeof createTables>;

/** Operations that are one statement or transaction, and that answer as the port does. */
export function plainOperations(tables: Tables) {
  const {
    versionParts,
    positions,
    statistics,
    files,
    shares,
    links,
    pins,
    tags,
    notes,
    usage,
    tenants,
    parts,
    garbage,
    damaged,
    events,
  } = tables;
  const {
    records,
    savedQueries,
    relationOids,
    history,
    endings,
    undrops,
    dropped,
    compactions,
    leases,
    integrity,
    backlog,
  } = tables;
  return {
    reads: {
      ...bound(records, ['names']),
      ...bound(versionParts, ['parts', 'partsBetween']),
      ...bound(positions, ['rowPositions']),
      ...bound(statistics, ['statistics']),
      ...bound(files, ['fileLayout']),
      ...bound(shares, ['shares', 'isShared']),
      ...bound(links, ['links', 'isLinkInForce']),
      ...bound(pins, ['pins', 'pinned']),
      ...bound(tags, ['taggedVersion', 'tags']),
      ...bound(notes, ['notes', 'search']),
      ...bound(usage, ['usage', 'storedBytes']),
      ...bound(tenants, ['tenants', 'tenantShares']),
      ...bound(parts, ['untranscoded', 'transcodingBacklog', 'unpacked', 'arrowBytes', 'evictable']),
      ...bound(backlog, ['backlog']),
      ...bound(damaged, ['objects', 'quarantined', 'knownDamage', 'scrubState']),
      ...bound(events, ['events']),
      ...bound(savedQueries, ['savedQueries']),
      ...bound(history, ['history']),
    },
    writes: {
      ...bound(statistics, ['keepStatistics']),
      ...bound(files, ['keepFileLayout', 'useFileLayout', 'endFileLayout']),
      ...bound(endings, ['drop']),
      ...bound(undrops, ['purge']),
      ...bound(dropped, ['releaseDropped']),
      ...bound(shares, ['share', 'unshare']),
      ...bound(links, ['addLink', 'revokeLink']),
      ...bound(pins, ['pinForJob', 'unpinForJob']),
      ...bound(tags, ['setTag', 'removeTag']),
      ...bound(notes, ['setNotes']),
      ...bound(parts, ['addForm', 'refuseTranscoding', 'replaceArrow', 'keepArrow', 'evict']),
      ...bound(compactions, ['compact', 'refuseCompaction']),
      ...bound(leases, ['lease', 'endLease', 'endLeases']),
      ...bound(garbage, ['takeGarbage']),
      ...bound(integrity, ['integrity']),
      ...bound(damaged, ['markDamaged', 'clearDamage', 'removeDamaged', 'saveScrubState']),
      ...bound(savedQueries, ['saveQuery', 'removeQuery']),
      ...bound(relationOids, ['relationOids']),
      ...bound(history, ['addHistory', 'clearHistory']),
    },
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
