import type { Clock } from '../model/clock.ts';
import { defaultEngine, type EngineName } from '../model/engine-name.ts';
import type {
  BoundParameters,
  PreparedLimits,
  PreparedStatement,
  PreparedStatements,
  SqlDescription,
} from '../ports/prepared-statements.ts';
import { preparedHandle } from './prepared-handle.ts';
import { absentStatement, bytesOf, dispensable, withDefaults } from './prepared-limits.ts';

interface MemoryStatement extends PreparedStatement {
  readonly usedAt: number;
  readonly bytes: number;
}

/**
 * The prepared statements of one process, in its memory. None has a place in the engine. A connection that breaks closes nothing, so there are
 * limits, and the one that was not used for the longest time goes first.
 */
export class MemoryPreparedStatements implements PreparedStatements {
  readonly #limits: Required<PreparedLimits>;
  readonly #now: Clock;
  /** In order of use: the oldest first. */
  readonly #held = new Map<string, MemoryStatement>();
  #bytes = 0;

  constructor(limits: PreparedLimits, now: Clock = () => performance.now()) {
    this.#limits = withDefaults(limits);
    this.#now = now;
  }

  get size(): number {
    return this.#held.size;
  }

  get countMax(): number {
    return this.#limits.countMax;
  }

  get idleMs(): number {
    return this.#limits.idleMs;
  }

  async add(
    tenant: string,
    sql: string,
    description: SqlDescription,
    engine: EngineName = defaultEngine,
  ): Promise<PreparedStatement> {
    const now = this.#now();
    const base = { handle: preparedHandle(engine), tenant, sql, engine, description, parameters: null };
    return this.#keep({ ...base, describedAt: now, usedAt: now });
  }

  async get(tenant: string, handle: string): Promise<PreparedStatement> {
    this.#expire();
    const held = this.#held.get(handle);
    if (held === undefined || held.tenant !== tenant) {
      throw absentStatement();
    }
    this.#drop(held);
    return this.#keep({ ...held, usedAt: this.#now() });
  }

  async bind({ handle }: PreparedStatement, parameters: BoundParameters | null): Promise<void> {
    this.#change(handle, { parameters });
  }

  async describe({ handle }: PreparedStatement, description: SqlDescription): Promise<void> {
    this.#change(handle, { description, describedAt: this.#now() });
  }

  async close(tenant: string, handle: string): Promise<void> {
    const statement = this.#held.get(handle);
    if (statement?.tenant === tenant) this.#drop(statement);
  }

  isOlderThan(statement: PreparedStatement, ms: number): boolean {
    return this.#now() - statement.describedAt > ms;
  }

  #change(handle: string, change: Partial<MemoryStatement>): void {
    const held = this.#held.get(handle);
    if (held === undefined) return;
    this.#drop(held);
    this.#keep({ ...held, ...change });
  }

  #keep(unweighed: Omit<MemoryStatement, 'bytes'>): MemoryStatement {
    const statement = { ...unweighed, bytes: bytesOf(unweighed) };
    this.#held.set(statement.handle, statement);
    this.#bytes += statement.bytes;
    this.#expire();
    if (this.#held.size > this.#limits.countMax || this.#bytes > this.#limits.bytesMax)
      for (const victim of dispensable([...this.#held.values()], statement.handle, this.#limits))
        this.#drop(victim);
    return statement;
  }

  #drop(statement: MemoryStatement): void {
    if (this.#held.delete(statement.handle)) this.#bytes -= statement.bytes;
  }

  #expire(): void {
    const before = this.#now() - this.#limits.idleMs;
    for (const statement of this.#held.values()) {
      if (statement.usedAt >= before) return;
      this.#drop(statement);
    }
  }
}
