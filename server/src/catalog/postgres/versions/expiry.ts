import type { ExpectedVersion } from '../../../model/expected-version.ts';
import type { Transaction } from '../../../postgres/database.ts';
import type { LiveName } from '../../name-rows.ts';
import { settingEvents } from '../../rules/events.ts';
import type { FoundVersions } from '../../wire.ts';
import type { Events } from '../events/events.ts';
import type { Names } from './names.ts';
import type { Records } from './records.ts';

/** Changes when a name expires, and how many of its versions are kept. */
export class Expiry {
  readonly #names: Names;
  readonly #records: Records;
  readonly #events: Events;

  constructor(names: Names, records: Records, events: Events) {
    this.#names = names;
    this.#records = records;
    this.#events = events;
  }

  async expire(
    sql: Transaction,
    tenant: string,
    name: string,
    expiresAt: number | null,
    now: number,
    ifVersion: ExpectedVersion | null = null,
  ): Promise<FoundVersions> {
    const row = await this.#names.lockLive(sql, tenant, name, now);
    await this.#names.checkNewest(sql, row, ifVersion);
    this.#names.setExpiry(sql, row.id, expiresAt);
    return this.#changed(sql, row, 'expiry', [row.expires_at, expiresAt], now);
  }

  async keepVersions(
    sql: Transaction,
    tenant: string,
    name: string,
    versionsKeep: number | null,
    now: number,
    ifVersion: ExpectedVersion | null = null,
  ): Promise<FoundVersions> {
    const row = await this.#names.lockLive(sql, tenant, name, now);
    await this.#names.checkNewest(sql, row, ifVersion);
    this.#names.setVersionsKeep(sql, row.id, versionsKeep);
    return this.#changed(sql, row, 'versionsKeep', [row.versions_keep, versionsKeep], now);
  }

  /** The newest version, after a change of its name. */
  async #changed(
    sql: Transaction,
    row: LiveName,
    change: 'expiry' | 'versionsKeep',
    values: readonly [number | null, number | null],
    now: number,
  ): Promise<FoundVersions> {
    const found = await this.#records.newest(sql, row);
    for (const event of settingEvents(change, values, found.records)) this.#events.add(sql, event, now);
    return found;
  }
}
