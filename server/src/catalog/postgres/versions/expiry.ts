import type { ExpectedVersion } from '../../../frames/expected-version.ts';
import type { EventFrame, FrameEventKind } from '../../../frames/ports/catalog/events.ts';
import type { Transaction } from '../../../postgres/database.ts';
import type { LiveName } from '../../name-rows.ts';
import type { WireRecord, WireVersions } from '../../wire.ts';
import type { Names } from './names.ts';
import type { Records } from './records.ts';

interface RecordEvents {
  addRecord(
    sql: Transaction,
    kind: FrameEventKind,
    record: WireRecord,
    now: number,
    more?: Partial<EventFrame>,
  ): void;
}

/** Changes when a name expires, and how many of its versions are kept. */
export class Expiry {
  readonly #names: Names;
  readonly #records: Records;
  readonly #events: RecordEvents;

  constructor(names: Names, records: Records, events: RecordEvents) {
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
  ): Promise<WireVersions> {
    const row = await this.#names.lockLive(sql, tenant, name, now);
    await this.#names.checkNewest(sql, row, ifVersion);
    this.#names.setExpiry(sql, row.id, expiresAt);
    return this.#changed(sql, row, expiresAt === row.expires_at ? null : 'expiry', now);
  }

  async keepVersions(
    sql: Transaction,
    tenant: string,
    name: string,
    versionsKeep: number | null,
    now: number,
    ifVersion: ExpectedVersion | null = null,
  ): Promise<WireVersions> {
    const row = await this.#names.lockLive(sql, tenant, name, now);
    await this.#names.checkNewest(sql, row, ifVersion);
    this.#names.setVersionsKeep(sql, row.id, versionsKeep);
    return this.#changed(sql, row, versionsKeep === row.versions_keep ? null : 'versionsKeep', now);
  }

  /** The newest version, after a change of its name. Repeating one is safe, and nothing happens then (null). */
  async #changed(
    sql: Transaction,
    row: LiveName,
    change: 'expiry' | 'versionsKeep' | null,
    now: number,
  ): Promise<WireVersions> {
    const found = await this.#records.newest(sql, row);
    if (change !== null)
      for (const record of found.records)
        this.#events.addRecord(sql, 'frame.changed', record, now, { change });
    return found;
  }
}
