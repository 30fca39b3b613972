import type { ExpectedVersion } from '../../../frames/expected-version.ts';
import type { EventFrame, FrameEventKind } from '../../../frames/ports/catalog/events.ts';
import type { Transaction } from '../../../postgres/database.ts';
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
    const found = await this.#records.newest(sql, row);
    // Repeating the change is safe, and nothing happens then.
    if (expiresAt !== row.expires_at)
      for (const record of found.records)
        this.#events.addRecord(sql, 'frame.changed', record, now, { change: 'expiry' });
    return found;
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
    const found = await this.#records.newest(sql, row);
    if (versionsKeep !== row.versions_keep)
      for (const record of found.records)
        this.#events.addRecord(sql, 'frame.changed', record, now, { change: 'versionsKeep' });
    return found;
  }
}
