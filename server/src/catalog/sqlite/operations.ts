import type { DatabaseSync } from 'node:sqlite';
import { Attempts } from './attempts.ts';
import { Claims, claimOperations } from './claims.ts';
import { Commits, commitOperations } from './commits.ts';
import { DamagedObjects, damageOperations } from './damage.ts';
import { Dropped, droppedOperations } from './dropped.ts';
import { Endings, endingOperations } from './endings.ts';
import { Garbage, garbageOperations } from './garbage.ts';
import { IdempotencyKeys, idempotencyOperations } from './idempotency.ts';
import { Logs } from './logs.ts';
import { Merges, mergeOperations } from './merges.ts';
import { Names, nameOperations } from './names.ts';
import { Parts, partOperations } from './parts.ts';
import type { Operations } from './protocol.ts';
import { Records, recordOperations } from './records.ts';
import { Schemas } from './schemas.ts';
import { Shares, shareOperations } from './shares.ts';
import { Sweep, sweepOperations } from './sweep.ts';
import { Tenants, tenantOperations } from './tenants.ts';
import { Undrops, undropOperations } from './undrops.ts';
import { Usage, usageOperations } from './usage.ts';
import { VersionParts, versionPartOperations } from './version-parts.ts';

export interface OperationTable {
  readonly reads: Partial<Operations>;
  /** They want a transaction around them. */
  readonly writes: Partial<Operations>;
  /** Both. The compiler sees that no operation of the port is missing, or has other types. */
  readonly all: Operations;
}

/** Every operation of the catalog on an open database. */
export function createOperations(db: DatabaseSync): OperationTable {
  const names = new Names(db);
  const schemas = new Schemas(db);
  const parts = new Parts(db);
  const attempts = new Attempts(db);
  const claims = new Claims(db);
  const records = new Records(db, names, schemas);
  const keys = new IdempotencyKeys(db, schemas);
  const merges = new Merges(db, parts, schemas, claims);
  const shares = new Shares(db, names);
  const usage = new Usage(db);
  const tenants = new Tenants(db);
  const logs = new Logs(db, parts, merges);
  const versionParts = new VersionParts(names, records, logs);
  const dropped = new Dropped(db, logs, schemas);
  const endings = new Endings(db, { attempts, names, logs, dropped, schemas, shares });
  const commits = new Commits(db, {
    attempts,
    names,
    records,
    parts,
    logs,
    merges,
    schemas,
    endings,
    keys,
    usage,
  });
  const undrops = new Undrops({ attempts, names, records, endings, dropped, usage });
  const sweep = new Sweep(db, endings, dropped, keys, attempts, claims);
  const damaged = new DamagedObjects(db, parts);
  const garbage = new Garbage(db, damaged);

  const reads = {
    ...bound(names, nameOperations.reads),
    ...bound(records, recordOperations.reads),
    ...bound(versionParts, versionPartOperations.reads),
    ...bound(keys, idempotencyOperations.reads),
    ...bound(shares, shareOperations.reads),
    ...bound(usage, usageOperations.reads),
    ...bound(tenants, tenantOperations.reads),
    ...bound(parts, partOperations.reads),
    ...bound(garbage, garbageOperations.reads),
    ...bound(damaged, damageOperations.reads),
  };
  const writes = {
    ...bound(records, recordOperations.writes),
    ...bound(commits, commitOperations.writes),
    ...bound(endings, endingOperations.writes),
    ...bound(undrops, undropOperations.writes),
    ...bound(dropped, droppedOperations.writes),
    ...bound(shares, shareOperations.writes),
    ...bound(parts, partOperations.writes),
    ...bound(merges, mergeOperations.writes),
    ...bound(sweep, sweepOperations.writes),
    ...bound(claims, claimOperations.writes),
    ...bound(garbage, garbageOperations.writes),
    ...bound(damaged, damageOperations.writes),
  };
  return { reads, writes, all: { ...reads, ...writes } };
}

/** These methods of a table, under their own names. */
function bound<Table extends object, Name extends keyof Table>(
  table: Table,
  names: readonly Name[],
): Pick<Table, Name> {
  const methods = names.map((name) => [name, (table[name] as () => unknown).bind(table)] as const);
  return Object.fromEntries(methods) as unknown as Pick<Table, Name>;
}
