import { waitingFor, waitingForEach } from '../base/request-time.ts';
import { StateMachine, type Transitions } from '../base/state-machine.ts';
import type { Audit } from '../frames/access/audit.ts';
import type { Caller } from '../model/caller.ts';
import { FrameholdError } from '../model/errors.ts';
import type { TenantSlots } from '../model/limits/tenant-slots.ts';
import type { VersionRecord } from '../model/version.ts';
import type {
  BindRequest,
  BoundStatement,
  EngineStatement,
  StatementParameters,
  StatementShape,
} from '../ports/engine.ts';
import type { IpcMessage } from '../ports/renderer.ts';
import type { SqlEngine } from './engines.ts';
import type { StatementTables } from './tables/statement-tables.ts';

export type StatementEnd = 'done' | 'failed' | 'cancelled';
type State = 'prepared' | 'bound' | 'running' | StatementEnd;

const transitions: Transitions<State> = {
  // done: it needs no run, because its answer is cached, it only drops a frame, or there is nothing to do.
  prepared: ['bound', 'done', 'failed', 'cancelled'],
  // prepared: what it was bound to has changed.
  bound: ['prepared', 'running', 'done', 'failed', 'cancelled'],
  // prepared: it runs again, over newer versions.
  running: ['prepared', 'done', 'failed', 'cancelled'],
  done: [],
  failed: [],
  cancelled: [],
};

interface RestLimits {
  readonly ms: number;
  /** How long it is not given up for others. */
  readonly keepMs?: number;
}

/**
 * What a statement holds: its tenant's slot, an engine's process, and the files of its tables. Everything is taken here and given back here, however it ends.
 * The process and the files go when it ends; the slot goes last, when nobody needs its rows any more.
 */
export class StatementResources {
  readonly #life = new StateMachine<State>('prepared', transitions);
  readonly #slots: TenantSlots;
  readonly #tenant: string;
  readonly #leaveSlot: () => void;
  /** Not a caller's own signal: a statement that was described may outlast that call. */
  readonly #stop = new AbortController();
  #statement: EngineStatement | null = null;
  #tables: StatementTables | null = null;
  #bound: BoundStatement | null = null;
  /** While nobody needs it: takes back that it may be given up. */
  #resting: (() => void) | null = null;
  #ended: Promise<void> | null = null;

  /** Takes a slot of the tenant: rate_limited. */
  constructor(slots: TenantSlots, tenant: string) {
    this.#leaveSlot = slots.enter(tenant);
    this.#slots = slots;
    this.#tenant = tenant;
  }

  get bound(): BoundStatement | null {
    return this.#bound;
  }

  get statement(): EngineStatement | null {
    return this.#statement;
  }

  get tables(): StatementTables | null {
    return this.#tables;
  }

  /** The versions that it reads, in the order in which its shape names the frames. */
  get records(): readonly VersionRecord[] {
    return this.#tables?.records ?? [];
  }

  /** From now on it ends when this signal aborts. Returns the function that takes this back. */
  follow(signal: AbortSignal): () => void {
    const onAbort = () => this.#stop.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    return () => signal.removeEventListener('abort', onAbort);
  }

  /** `known`: its shape, if that is cached. */
  async begin(
    { engine }: SqlEngine,
    sql: string,
    known: StatementShape | null,
    workedMs = 0,
    isPostgres = false,
  ): Promise<EngineStatement> {
    const begun = engine.begin(sql, this.#tenant, this.#stop.signal, { workedMs, known, isPostgres });
    this.#statement = await waitingFor('engine', begun);
    return this.#statement;
  }

  /** From now on it holds these, to its end. */
  reads(tables: StatementTables): void {
    this.#tables = tables;
  }

  async bind(request: Omit<BindRequest, 'tables'>): Promise<BoundStatement> {
    if (this.#statement === null || this.#tables === null) throw new Error('nothing to bind');
    const binding = this.#statement.bind({ tables: this.#tables.tables, ...request });
    this.#bound = await waitingFor('engine', binding);
    this.#life.to('bound');
    return this.#bound;
  }

  run(values: StatementParameters | null): AsyncIterable<IpcMessage> {
    return waitingForEach('engine', this.#toRun().run(values));
  }

  /** Instead of `run`. Absent if the engine's workers do not write results. */
  get write(): NonNullable<EngineStatement['write']> | undefined {
    if (this.#statement?.write === undefined) return undefined;
    return (values, address) => this.#toRun().write?.(values, address) as Promise<void>;
  }

  /** Gives the process and the files back, to begin anew. */
  async reset(): Promise<void> {
    const statement = this.#statement;
    const tables = this.#tables;
    this.#statement = null;
    this.#tables = null;
    this.#bound = null;
    if (!this.#life.is('prepared')) this.#life.to('prepared');
    try {
      await statement?.close();
    } finally {
      await tables?.release();
    }
  }

  /** Gives the process and the files back. The first one counts. */
  end(state: StatementEnd): Promise<void> {
    this.#ended ??= this.#end(state);
    return this.#ended;
  }

  /** Gives everything back. Safe at any time, and again. */
  async close(): Promise<void> {
    try {
      await this.end('cancelled');
    } finally {
      this.#leaveSlot();
    }
  }

  /**
   * Nobody needs it now. `giveUp` is called after `ms`; and, once `keepMs` are over, as soon as its tenant is at its limit and sends something else, or another
   * statement waits for its process (`isWanted`).
   */
  rest({ ms, keepMs = 0 }: RestLimits, giveUp: (isWanted: boolean) => void): void {
    let keepSlot = () => {};
    const offer = () => {
      keepSlot = this.#slots.spare(this.#tenant, () => giveUp(true));
      this.#statement?.spare?.(() => {
        const isResting = this.#resting === rested;
        if (isResting) giveUp(true);
        return isResting;
      });
    };
    const late = setTimeout(() => giveUp(false), ms);
    const kept = keepMs === 0 ? undefined : setTimeout(offer, keepMs);
    const rested = () => {
      clearTimeout(late);
      clearTimeout(kept);
      keepSlot();
    };
    this.#resting = rested;
    if (keepMs === 0) offer();
  }

  get isResting(): boolean {
    return this.#resting !== null;
  }

  /** False if it was given up. */
  resume(): boolean {
    if (this.#resting === null) return false;
    this.#resting();
    this.#resting = null;
    return true;
  }

  /** Its slot is free in the same turn, because its tenant's next statement may follow. Does nothing if it does not rest. */
  giveUp(): void {
    if (!this.resume()) return;
    this.end('cancelled').catch(() => {});
    this.#leaveSlot();
  }

  #toRun(): EngineStatement {
    if (this.#statement === null) throw new Error('nothing to run');
    this.#life.to('running');
    return this.#statement;
  }

  async #end(state: StatementEnd): Promise<void> {
    this.#life.to(state);
    // It may still wait for its process.
    if (state === 'cancelled' && this.#statement === null) this.#stop.abort(closedEarly());
    try {
      await this.#statement?.close();
    } finally {
      await this.#tables?.release();
    }
  }
}

/** Of a caller's statement, with a slot of its tenant; the audit log has those that get none. */
export function admitted(
  { audit, slots }: { readonly audit: Audit; readonly slots: TenantSlots },
  caller: Caller,
): StatementResources {
  return audit.attemptNow(caller, 'sql.query', null, () => new StatementResources(slots, caller.tenant));
}

function closedEarly(): FrameholdError {
  return new FrameholdError('cancelled', 'The statement was closed before it began.');
}
