import { type LimitChanges, limitNames, type SetLimits } from '../model/limits/tenant-limit-values.ts';
import type { CredentialSource } from '../ports/credential-source.ts';
import type { StoredLimits } from '../ports/stored-limits.ts';
import { paceOf } from './access-pace.ts';
import { Followed } from './followed.ts';

const none: SetLimits = {};

/** The limits of single tenants in memory, read again when another process has changed them. */
export class CachedLimits implements StoredLimits {
  readonly #source: CredentialSource;
  readonly #onForeignChange: (tenant: string, changes: LimitChanges) => void;
  readonly #followed: Followed<ReadonlyMap<string, SetLimits>>;
  #known: Map<string, SetLimits> | null = null;
  /** Tenants whose limits this process is changing: that is no change by others. */
  readonly #setting = new Set<string>();

  /** `onForeignChange` is called with what another process has set, when it is noticed. */
  static async open(
    source: CredentialSource,
    onForeignChange: (tenant: string, changes: LimitChanges) => void,
  ): Promise<CachedLimits> {
    const limits = new CachedLimits(source, onForeignChange);
    await limits.#followed.lookNow();
    return limits;
  }

  private constructor(
    source: CredentialSource,
    onForeignChange: (tenant: string, changes: LimitChanges) => void,
  ) {
    this.#source = source;
    this.#onForeignChange = onForeignChange;
    this.#followed = new Followed(
      (mark) => source.limitsSince(mark),
      (limits) => this.#take(limits),
      paceOf(source),
    );
  }

  of(tenant: string): SetLimits {
    this.#followed.look();
    return this.#known?.get(tenant) ?? none;
  }

  get tenants(): Iterable<string> {
    return this.#known?.keys() ?? [];
  }

  async set(tenant: string, changes: LimitChanges): Promise<SetLimits> {
    // What others have set until now is reported as theirs; this change is reported by its caller.
    await this.#followed.lookNow();
    this.#setting.add(tenant);
    try {
      await this.#source.setLimits(tenant, changes);
      // A look may be under way that has seen the limits as they were before. If this one fails, a later one will do.
      await this.#followed.lookAnew()?.catch(() => {});
    } finally {
      this.#setting.delete(tenant);
    }
    const limits = withChanges(this.#known?.get(tenant) ?? none, changes);
    this.#known?.set(tenant, limits);
    return limits;
  }

  close(): void {
    this.#followed.close();
  }

  #take(limits: ReadonlyMap<string, SetLimits>): void {
    const before = this.#known;
    this.#known = new Map(limits);
    if (before === null) return;
    for (const tenant of new Set([...before.keys(), ...this.#known.keys()])) {
      if (this.#setting.has(tenant)) continue;
      const changed = difference(before.get(tenant) ?? none, this.#known.get(tenant) ?? none);
      if (Object.keys(changed).length > 0) this.#onForeignChange(tenant, changed);
    }
  }
}

function withChanges(limits: SetLimits, changes: LimitChanges): SetLimits {
  const all = Object.entries({ ...limits, ...changes }).filter(([, value]) => value !== null);
  return Object.fromEntries(all);
}

function difference(before: SetLimits, after: SetLimits): LimitChanges {
  const names = limitNames.filter((name) => before[name] !== after[name]);
  return Object.fromEntries(names.map((name) => [name, after[name] ?? null]));
}
