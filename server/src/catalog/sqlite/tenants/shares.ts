import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { sharesEvent } from '../../rules/events.ts';
import { checkShares } from '../../rules/shares.ts';
import type { Events } from '../events/events.ts';
import type { Names } from '../versions/names.ts';

/** Its methods that are operations of the catalog. */
export const shareOperations = {
  reads: ['shares', 'isShared'],
  writes: ['share', 'unshare'],
} as const;

/** Which tenants may read a name beside its own. A share ends with the name. */
export class Shares {
  readonly #names: Names;
  readonly #events: Events;
  readonly #insert: StatementSync;
  readonly #delete: StatementSync;
  readonly #list: StatementSync;
  readonly #has: StatementSync;
  readonly #end: StatementSync;

  constructor(db: DatabaseSync, names: Names, events: Events) {
    this.#names = names;
    this.#events = events;
    this.#insert = db.prepare('INSERT OR IGNORE INTO shares (name_id, tenant) VALUES (?, ?)');
    this.#delete = db.prepare('DELETE FROM shares WHERE name_id = ? AND tenant = ?');
    this.#list = db.prepare('SELECT tenant FROM shares WHERE name_id = ? ORDER BY tenant');
    this.#has = db.prepare('SELECT 1 FROM shares WHERE name_id = ? AND tenant = ?');
    this.#end = db.prepare('DELETE FROM shares WHERE name_id = ?');
  }

  share(tenant: string, name: string, reader: string, now: number): readonly string[] {
    const row = this.#names.requireLive(tenant, name, now);
    const { id } = row;
    checkShares(this.#readers(id));
    if (this.#insert.run(id, reader).changes > 0) this.#events.add(sharesEvent(row), now);
    return this.#readers(id);
  }

  unshare(tenant: string, name: string, reader: string, now: number): readonly string[] {
    const row = this.#names.requireLive(tenant, name, now);
    if (this.#delete.run(row.id, reader).changes > 0) this.#events.add(sharesEvent(row), now);
    return this.#readers(row.id);
  }

  shares(tenant: string, name: string, now: number): readonly string[] {
    return this.#readers(this.#names.requireLive(tenant, name, now).id);
  }

  /** Whether this tenant may read it. A name that has ended is shared with nobody. */
  isShared(tenant: string, name: string, reader: string): boolean {
    const row = this.#names.find(tenant, name);
    return row?.name === name && this.#has.get(row.id, reader) !== undefined;
  }

  end(nameId: number): void {
    this.#end.run(nameId);
  }

  #readers(nameId: number): readonly string[] {
    return (this.#list.all(nameId) as { tenant: string }[]).map(({ tenant }) => tenant);
  }
}
