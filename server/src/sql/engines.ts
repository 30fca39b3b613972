import type { VersionOpener } from '../frames/parts/version-opener.ts';
import type { Caller } from '../model/caller.ts';
import { defaultEngine, type EngineName, engineNames } from '../model/engine-name.ts';
import { FrameholdError } from '../model/errors.ts';
import type { Engine } from '../ports/engine.ts';
import type { ResultFolders } from '../ports/result-folders.ts';

/** An engine, and how it gets to the frames. */
export interface SqlEngine {
  readonly name: EngineName;
  readonly engine: Engine;
  readonly versions: VersionOpener;
  /** Where its workers write results; null if it gives rows only. */
  readonly results: ResultFolders | null;
}

/** The engines of this server. A statement names the one that runs it. */
export interface SqlEngines {
  /** Those that at least one tenant can use, the default first. */
  readonly names: readonly EngineName[];
  has(name: EngineName, tenant: string): boolean;
  /** bad_request if the tenant has no such engine. */
  of(name: EngineName, tenant: string): SqlEngine;
}

/** The audit log names the engine of a caller's statement if it is not the default one. */
export function callerOn(name: EngineName, caller: Caller): Caller {
  return name === defaultEngine ? caller : { ...caller, engine: name };
}

/** The default engine on this machine, and a distributed one for the tenants that have it. */
export class TenantEngines implements SqlEngines {
  readonly names: readonly EngineName[];
  readonly #local: SqlEngine;
  readonly #distributed: ((tenant: string) => SqlEngine | null) | null;

  constructor(local: SqlEngine, distributed: ((tenant: string) => SqlEngine | null) | null = null) {
    this.#local = local;
    this.#distributed = distributed;
    this.names = distributed === null ? [local.name] : [...engineNames];
  }

  has(name: EngineName, tenant: string): boolean {
    return this.#find(name, tenant) !== null;
  }

  of(name: EngineName, tenant: string): SqlEngine {
    const found = this.#find(name, tenant);
    if (found !== null) return found;
    throw new FrameholdError('bad_request', `This server has no engine ${name} for the tenant ${tenant}.`, {
      hint: `Leave out the engine: ${this.#local.name} runs the statement. An operator adds ${name} with the setting ${name}.url.`,
    });
  }

  #find(name: EngineName, tenant: string): SqlEngine | null {
    return name === this.#local.name ? this.#local : (this.#distributed?.(tenant) ?? null);
  }
}
