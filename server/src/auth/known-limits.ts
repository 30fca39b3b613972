import { type LimitChanges, limitNames, type SetLimits } from '../frames/limits/tenant-limit-values.ts';
import type { KeptLimits } from '../frames/ports/kept-limits.ts';
import type { CredentialStore } from './credential-store.ts';

/** How soon a limit applies that the command line has set, as for credentials. */
const lookEveryMs = 50;
const none: SetLimits = {};

/** The limits of single tenants in memory, read again when another process has changed them. */
export class KnownLimits implements KeptLimits {
  readonly #store: CredentialStore;
  readonly #onForeignChange: (tenant: string, changes: LimitChanges) => void;
  #known: Map<string, SetLimits>;
  #changes: number;
  #lookedAt = performance.now();

  /** `onForeignChange` is called with what another process has set, when it is noticed. */
  constructor(store: CredentialStore, onForeignChange: (tenant: string, changes: LimitChanges) => void) {
    this.#store = store;
    this.#onForeignChange = onForeignChange;
    this.#changes = store.changes;
    this.#known = new Map(store.limits.all());
  }

  of(tenant: string): SetLimits {
    if (performance.now() - this.#lookedAt >= lookEveryMs) this.#look();
    return this.#known.get(tenant) ?? none;
  }

  get tenants(): Iterable<string> {
    return this.#known.keys();
  }

  set(tenant: string, changes: LimitChanges): SetLimits {
    this.#store.limits.set(tenant, changes);
    // What others have set until now is logged as theirs; this change is logged by its caller.
    this.#look();
    const limits = this.#store.limits.all().get(tenant) ?? none;
    this.#known.set(tenant, limits);
    return limits;
  }

  #look(): void {
    this.#lookedAt = performance.now();
    const { changes } = this.#store;
    if (changes === this.#changes) return;
    this.#changes = changes;
    const before = this.#known;
    this.#known = new Map(this.#store.limits.all());
    for (const tenant of new Set([...before.keys(), ...this.#known.keys()])) {
      const changed = difference(before.get(tenant) ?? none, this.#known.get(tenant) ?? none);
      if (Object.keys(changed).length > 0) this.#onForeignChange(tenant, changed);
    }
  }
}

function difference(before: SetLimits, after: SetLimits): LimitChanges {
  const names = limitNames.filter((name) => before[name] !== after[name]);
  return Object.fromEntries(names.map((name) => [name, after[name] ?? null]));
}
