import { timingSafeEqual } from 'node:crypto';
import type { Caller } from '../../model/caller.ts';
import { asFrameholdError, FrameholdError } from '../../model/errors.ts';
import { noTenant } from '../../model/tenant.ts';
import type { Sql } from '../../sql/sql.ts';
import type { Signals } from '../session/session-state.ts';
import { type BackendKeys, longKeyBytes, shortKeyBytes } from './backend-keys.ts';
import { WrongKeys } from './wrong-keys.ts';

/** A session as others can stop it. */
export interface Backend {
  readonly tenant: string;
  cancel(): void;
  terminate(): void;
}

interface Registered {
  readonly key: Buffer;
  readonly backend: Backend;
}

/** 2,047 nodes, and a million connections of each before a number comes again. */
const connectionBits = 20;
const connectionsMax = 2 ** connectionBits;
const nodesMax = 2 ** (31 - connectionBits);

export interface BackendsDependencies {
  readonly keys: BackendKeys;
  /** The number of this node among those that are alive. */
  readonly node: () => number;
  readonly sql: Pick<Sql, 'cancel'>;
}

/** The sessions of this node by their numbers, and requests to cancel what sessions of any node run. */
export class Backends implements Signals {
  readonly #dependencies: BackendsDependencies;
  readonly #registered = new Map<number, Registered>();
  readonly #wrong = new WrongKeys();
  #last = Math.floor(Math.random() * connectionsMax);

  constructor(dependencies: BackendsDependencies) {
    this.#dependencies = dependencies;
  }

  /** The number and the key that the client is given. */
  add(backend: Backend, isLong: boolean): { readonly id: number; readonly key: Buffer } {
    const id = this.#freeId();
    const key = this.#dependencies.keys.create(id, isLong ? longKeyBytes : shortKeyBytes);
    this.#registered.set(id, { key, backend });
    return { id, key };
  }

  remove(id: number): void {
    this.#registered.delete(id);
  }

  /** Never says what came of it, as the protocol wants. */
  async cancel(id: number, key: Buffer, address: string): Promise<void> {
    if (this.#wrong.isBlocked(address)) return;
    const own = this.#registered.get(id);
    if (own !== undefined) {
      if (own.key.length === key.length && timingSafeEqual(own.key, key)) own.backend.cancel();
      else this.#wrong.add(address);
      return;
    }
    const { keys } = this.#dependencies;
    if (!keys.isValid(id, key)) return this.#wrong.add(address);
    // Of this node it has ended; nobody else has it.
    if (id >> connectionBits === this.#node) return;
    await this.#cancelElsewhere(anyTenant(address), id);
  }

  async signal(caller: Caller, id: number, ends: boolean): ReturnType<Signals['signal']> {
    const own = this.#registered.get(id);
    // Whether another tenant has this number is nobody else's business.
    if (own !== undefined && own.backend.tenant !== caller.tenant) return 'nobody';
    if (own !== undefined) {
      if (ends) own.backend.terminate();
      else own.backend.cancel();
      return 'done';
    }
    if (!(await this.#cancelElsewhere(caller, id))) return 'nobody';
    return ends ? 'only cancelled' : 'done';
  }

  /** As for a statement of any listener: the other node sees the flag. */
  async #cancelElsewhere(caller: Caller, id: number): Promise<boolean> {
    const { keys, sql } = this.#dependencies;
    try {
      await sql.cancel(caller, keys.statementId(id));
      return true;
    } catch (thrown) {
      const error = asFrameholdError(thrown);
      if (error.kind === 'query_not_found') return false;
      throw error;
    }
  }

  get #node(): number {
    return this.#dependencies.node() % nodesMax;
  }

  #freeId(): number {
    for (let tries = 0; tries < connectionsMax; tries++) {
      this.#last = (this.#last + 1) % connectionsMax;
      const id = this.#node * connectionsMax + this.#last;
      if (id !== 0 && !this.#registered.has(id)) return id;
    }
    throw new FrameholdError('overloaded', 'There is no number left for another connection.', {
      hint: 'Try again when some connections have ended.',
    });
  }
}

/** Whoever has the key of a session may stop its statement, whichever tenant it belongs to. */
function anyTenant(remote: string): Caller {
  return {
    tenant: noTenant,
    name: 'cancel-request',
    scopes: new Set(['operator']),
    link: null,
    isCurrent: () => true,
    remote,
    requestId: '',
  };
}
