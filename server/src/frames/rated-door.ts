import type { AccessGuard } from './access-guard.ts';
import { type Caller, isOperator, type Visit } from './caller.ts';
import type { Credentials, Door } from './ports/door.ts';
import type { TenantLimits } from './tenant-limits.ts';

/** A door that lets a tenant in only so often. Operators are of no tenant, and must get in while tenants are held back. */
export class RatedDoor implements Door {
  readonly #door: Door;
  readonly #limits: TenantLimits;
  readonly #access: AccessGuard;

  constructor(door: Door, limits: TenantLimits, access: AccessGuard) {
    this.#door = door;
    this.#limits = limits;
    this.#access = access;
  }

  get isOpen(): boolean {
    return this.#door.isOpen;
  }

  enter(credentials: Credentials, visit: Visit): Caller | Promise<Caller> {
    const caller = this.#door.enter(credentials, visit);
    return caller instanceof Promise ? caller.then((known) => this.#counted(known)) : this.#counted(caller);
  }

  #counted(caller: Caller): Caller {
    if (!isOperator(caller)) this.#access.attempt(caller, 'enter', () => this.#limits.request(caller.tenant));
    return caller;
  }
}
