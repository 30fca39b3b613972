import type { Undrop } from '../../../ports/catalog/versions.ts';
import type { Transaction } from '../../../postgres/database.ts';
import type { LiveName, NameRow } from '../../name-rows.ts';
import { recordEvent } from '../../rules/events.ts';
import { requireNotLive, undropOf } from '../../rules/undrop.ts';
import type { WireUndropped } from '../../wire.ts';
import type { Events } from '../events/events.ts';
import type { Usage } from '../tenants/usage.ts';
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

/** Restores dropped names, or deletes what is kept of them. */
export class Undrops {
  readonly #tables: UndropTables;

  constructor(tables: UndropTables) {
    this.#tables = tables;
  }

  async undrop(sql: Transaction, change: Undrop): Promise<WireUndropped> {
    const { attempts, names, records } = this.#tables;
    const { attempt: id, tenant, name, now } = change;
    const row = await names.lock(sql, tenant, name);
    return attempts.once(sql, { id, now }, () => this.#undrop(sql, change, row), {
      keep: () => '',
      again: async () => ({
        found: await records.newest(sql, await names.requireLive(sql, tenant, name, now)),
        expired: null,
      }),
    });
  }

  async #undrop(sql: Transaction, change: Undrop, locked: NameRow | undefined): Promise<WireUndropped> {
    const { names, records, endings, dropped, usage, events } = this.#tables;
    const { tenant, name, framesMax, now } = change;
    const row = requireNotLive(locked, name, now);
    const { dropped: back, expired } = undropOf(row, name, await dropped.find(sql, row.id, name, now), now);
    if (expired) await endings.expire(sql, expired, now);
    await dropped.bringBack(sql, back);
    // Its bytes were counted all the time.
    usage.check(sql, tenant, { framesMax, bytesMax: null }, true);
    const found = await records.newest(sql, (await names.find(sql, tenant, name)) as LiveName);
    for (const record of found.records) events.add(sql, recordEvent('frame.undropped', record), now);
    return { found, expired: expired?.name ?? null };
  }

  async purge(sql: Transaction, tenant: string, name: string): Promise<number> {
    const row = await this.#tables.names.lock(sql, tenant, name);
    return row ? this.#tables.dropped.purge(sql, row.id, name) : 0;
  }
}
