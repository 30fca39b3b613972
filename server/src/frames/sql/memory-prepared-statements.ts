import { FrameholdError } from '../errors.ts';
import { randomId } from '../handle.ts';
import type { Clock } from '../ports/clock.ts';
import type { StatementParameters } from '../ports/engine.ts';
import type { PreparedStatement, PreparedStatements } from '../ports/prepared-statements.ts';
import type { SqlDescription } from './sql.ts';

/** Tools keep connections, and their statements, while somebody is at lunch. */
const idleMsDefault = 60 * 60_000;
/** Of all prepared statements together: a thousand ordinary ones take less than a hundredth of it. */
const bytesMaxDefault = 64 * 1024 * 1024;

export interface PreparedLimits {
  readonly countMax: number;
  readonly idleMs?: number;
  /** Of texts, descriptions and bound parameters. */
  readonly bytesMax?: number;
}

interface HeldStatement extends PreparedStatement {
  readonly usedAt: number;
}

/**
 * The prepared statements of one process, in its memory. None has a place in the engine. A connection that breaks closes nothing, so there are
 * limits, and the one that was not used for the longest time goes first.
 */
export class MemoryPreparedStatements implements PreparedStatements {
  readonly #limits: Required<PreparedLimits>;
  readonly #now: Clock;
  /** In order of use: the oldest first. */
  readonly #held = new Map<string, HeldStatement>();
  #bytes = 0;

  constructor(limits: PreparedLimits, now: Clock = () => performance.now()) {
    this.#limits = { idleMs: idleMsDefault, bytesMax: bytesMaxDefault, ...limits };
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

  async add(tenant: string, sql: string, description: SqlDescription): Promise<PreparedStatement> {
    const now = this.#now();
    const base = { handle: randomId(), tenant, sql, description };
    const statement = { ...base, describedAt: now, usedAt: now, parameters: null };
    this.#keep(statement);
    return statement;
  }

  async get(tenant: string, handle: string): Promise<PreparedStatement> {
    this.#expire();
    const held = this.#held.get(handle);
    if (held === undefined || held.tenant !== tenant) {
      throw new FrameholdError('query_not_found', 'There is no such prepared statement.', {
        hint: 'It was closed, or it was not used for too long. Prepare it again.',
      });
    }
    const statement = { ...held, usedAt: this.#now() };
    this.#drop(held);
    this.#keep(statement);
    return statement;
  }

  async bind({ handle }: PreparedStatement, parameters: StatementParameters | null): Promise<void> {
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

  #change(handle: string, change: Partial<HeldStatement>): void {
    const held = this.#held.get(handle);
    if (held === undefined) return;
    this.#drop(held);
    this.#keep({ ...held, ...change });
  }

  #keep(statement: HeldStatement): void {
    this.#held.set(statement.handle, statement);
    this.#bytes += bytesOf(statement);
    this.#expire();
    while (this.#held.size > this.#limits.countMax || this.#bytes > this.#limits.bytesMax) {
      const victim = this.#dispensable(statement);
      if (victim === undefined) return;
      this.#drop(victim);
    }
  }

  /** The oldest of the tenant that holds most, so that nobody loses statements because another prepares many. */
  #dispensable(kept: HeldStatement): HeldStatement | undefined {
    const others = [...this.#held.values()].filter((held) => held !== kept);
    const bytes = new Map<string, number>();
    for (const held of others)
      bytes.set(held.tenant, (bytes.get(held.tenant) ?? 0) + bytesOf(held) + entryBytes);
    const most = Math.max(...bytes.values());
    return others.find(({ tenant }) => bytes.get(tenant) === most);
  }

  #drop(statement: HeldStatement): void {
    if (this.#held.delete(statement.handle)) this.#bytes -= bytesOf(statement);
  }

  #expire(): void {
    const before = this.#now() - this.#limits.idleMs;
    for (const statement of this.#held.values()) {
      if (statement.usedAt >= before) return;
      this.#drop(statement);
    }
  }
}

/** What one takes beside its texts: so that a thousand small ones weigh something, too. */
const entryBytes = 1_024;

function bytesOf({ sql, description, parameters }: HeldStatement): number {
  const schemas = (description.schemaMessage?.length ?? 0) + description.parameterSchemaMessage.length;
  return sql.length * 2 + schemas + (parameters?.kind === 'arrow' ? parameters.stream.length : 0);
}
