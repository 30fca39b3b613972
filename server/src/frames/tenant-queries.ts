import type { Action } from './access.ts';
import type { AccessGuard } from './access-guard.ts';
import type { Caller } from './caller.ts';
import type { TenantLimits } from './tenant-limits.ts';

/** The places that a tenant has for queries at once, whoever answers them: the engine here or the external database. */
export class TenantQueries {
  readonly #limits: TenantLimits;
  readonly #access: AccessGuard;

  constructor(limits: TenantLimits, access: AccessGuard) {
    this.#limits = limits;
    this.#access = access;
  }

  /** Gives the function that leaves again; calling that twice does nothing. Throws rate_limited, and leaves it on the trail. */
  enter(caller: Caller, action: Action): () => void {
    return this.#access.attempt(caller, action, () => this.#limits.enter('queries', caller.tenant));
  }
}
