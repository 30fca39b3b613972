import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { announce } from '../../../model/failpoints.ts';
import { goneKeptMs } from '../../memory-times.ts';
import type { NameRow } from '../../name-rows.ts';
import { type PruningRound, pruningRounds, retentionOf, versionsKept } from '../../rules/retention.ts';
import type { SweepStep, TouchedName } from '../../wire.ts';
import type { Events } from '../events/events.ts';
import type { Leases } from '../maintenance/leases.ts';
import type { History } from '../queries/history.ts';
import type { SignedLinks } from '../tenants/links.ts';
import type { Attempts } from '../versions/attempts.ts';
import type { FileLayouts } from '../versions/file-layouts.ts';
import type { IdempotencyKeys } from '../versions/idempotency.ts';
import type { Pins } from '../versions/pins.ts';
import type { Dropped } from './dropped.ts';
import type { Endings } from './endings.ts';

/** A step is one transaction that others wait for: some milliseconds with this many names. */
const stepNamesMax = 200;
const stepRowsMax = 2000;
/** Each may name thousands of objects. */
const stepFilesMax = 20;

/** Its methods that are operations of the catalog. */
export const sweepOperations = {
  reads: [],
  writes: ['sweep'],
} as const;

export interface SweepTables {
  readonly endings: Endings;
  readonly dropped: Dropped;
  readonly keys: IdempotencyKeys;
  readonly attempts: Attempts;
  readonly leases: Leases;
  readonly events: Events;
  readonly links: SignedLinks;
  readonly history: History;
  readonly files: FileLayouts;
  readonly pins: Pins;
}

/** Ends what has expired, in small steps. */
export class Sweep {
  readonly #tables: SweepTables;
  readonly #expired: StatementSync;
  readonly #due: Readonly<Record<PruningRound['due'], StatementSync>>;
  readonly #forgetTombstones: StatementSync;

  constructor(db: DatabaseSync, tables: SweepTables) {
    this.#tables = tables;
    this.#expired = db.prepare(`
      SELECT * FROM names WHERE expires_at IS NOT NULL AND expires_at <= ? ORDER BY expires_at LIMIT ?`);
    // What earlier sweeps have left because it is pinned does not count: with a hundred thousand such names a sweep finds none of them.
    this.#due = {
      surplus: db.prepare(`
        SELECT * FROM names INDEXED BY names_surplus
        WHERE versions_keep IS NULL AND kept - pinned > 1 AND kept - pinned > ? LIMIT ?`),
      'own surplus': db.prepare(`
        SELECT * FROM names INDEXED BY names_own_surplus
        WHERE versions_keep IS NOT NULL AND kept - pinned > versions_keep AND ?1 IS NOT NULL LIMIT ?2`),
      age: db.prepare(`
        SELECT * FROM names INDEXED BY names_aged
        WHERE kept - pinned > 1 AND oldest_at < ? ORDER BY oldest_at LIMIT ?`),
      pins: db.prepare(`
        SELECT * FROM names INDEXED BY names_pins
        WHERE pins_until IS NOT NULL AND pins_until <= ? ORDER BY pins_until LIMIT ?`),
    };
    this.#forgetTombstones = db.prepare(`
      DELETE FROM tombstones WHERE (name_id, last) IN
        (SELECT name_id, last FROM tombstones WHERE ended_at <= ? LIMIT ?)`);
  }

  sweep(versionsKeep: number, versionsSince: number | null, now: number): SweepStep {
    const { endings, dropped, keys, attempts, leases, events, links, history, files, pins } = this.#tables;
    const expired = this.#expired.all(now, stepNamesMax) as unknown as NameRow[];
    for (const row of expired) endings.expire(row, now);
    if (expired.length > 0) announce('sweep:expired');
    const retention = retentionOf(versionsKeep, versionsSince);
    const pruned = pruningRounds(retention, now).map(({ due, limit }) => {
      const rows = this.#due[due].all(limit, stepNamesMax) as unknown as NameRow[];
      for (const row of rows) endings.prune(row, versionsKept(row, retention), versionsSince, now);
      return rows;
    });
    if (pruned.some((rows) => rows.length > 0)) announce('sweep:pruned');
    const rows = stepRowsMax;
    const forgotten = [
      [dropped.releasePast(now, stepNamesMax), stepNamesMax],
      [Number(this.#forgetTombstones.run(now - goneKeptMs, rows).changes), rows],
      [keys.forgetOld(now, rows), rows],
      [attempts.forgetOld(now, rows), rows],
      [leases.forgetOld(now, rows), rows],
      [events.forgetOld(now, rows), rows],
      [links.forgetExpired(now, rows), rows],
      [history.forgetOld(now, rows), rows],
      [files.endUnused(now, stepFilesMax), stepFilesMax],
      [pins.forgetPast(now, rows), rows],
    ] as const;
    return {
      expired: expired.map(touched),
      pruned: pruned.flat().map(touched),
      more:
        expired.length === stepNamesMax ||
        pruned.some((found) => found.length === stepNamesMax) ||
        forgotten.some(([count, max]) => count >= max),
    };
  }
}

function touched({ tenant, name }: NameRow): TouchedName {
  return { tenant, name };
}
