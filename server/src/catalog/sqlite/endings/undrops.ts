import type { Undrop } from '../../../ports/catalog/versions.ts';
import type { LiveName } from '../../name-rows.ts';
import { recordEvent } from '../../rules/events.ts';
import { requireNotLive, undropOf } from '../../rules/undrop.ts';
import type { Events } from '../events/events.ts';
import type { Usage } from '../tenants/usage.ts';
import { rowOfTuple, type TupleUndropped } from '../thread/record-tuples.ts';
import type { Attempts } from '../versions/attempts.ts';
import type { Names } from '../versions/names.ts';
import type { Records } from '../versions/records.ts';
import type { Dropped } from './dropped.ts';
import type { Endings } from './endings.ts';

export interface UndropTables {
  readonly attempts: Attempts;
  readonly names: Names;
  readonly records: Records;
  readonly endings: Endings;
  readonly dropped: Dropped;
  readonly usage: Usage;
  readonly events: Events;
}

/** Its methods that are operations of the catalog. */
export const undropOperations = {
  reads: [],
  writes: ['undrop', 'purge'],
} as const;

/** Restores dropped names, or deletes what is kept of them. */
export class Undrops {
  readonly #tables: UndropTables;

  constructor(tables: UndropTables) {
    this.#tables = tables;
  }

  undrop(change: Undrop): TupleUndropped {
    const { attempts, names, records } = this.#tables;
    const { attempt: id, tenant, name, now } = change;
    return attempts.once({ id, now }, () => this.#undrop(change), {
      keep: () => '',
      again: () => ({ found: records.newest(names.requireLive(tenant, name, now)), expired: null }),
    });
  }

  #undrop({ tenant, name, framesMax, now }: Undrop): TupleUndropped {
    const { names, records, endings, dropped, usage, events } = this.#tables;
    const row = requireNotLive(names.find(tenant, name), name, now);
    const { dropped: back, expired } = undropOf(row, name, dropped.find(row.id, name, now), now);
    if (expired) endings.expire(expired, now);
    dropped.bringBack(back);
    // Its bytes were counted all the time.
    usage.check(tenant, { framesMax, bytesMax: null }, true);
    const found = records.newest(names.find(tenant, name) as LiveName);
    for (const record of found.records) events.add(recordEvent('frame.undropped', rowOfTuple(record)), now);
    return { found, expired: expired?.name ?? null };
  }

  purge(tenant: string, name: string): number {
    const row = this.#tables.names.find(tenant, name);
    return row ? this.#tables.dropped.purge(row.id, name) : 0;
  }
}
