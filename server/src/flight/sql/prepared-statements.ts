import type { Caller } from '../../frames/access/caller.ts';
import { FrameholdError } from '../../frames/errors.ts';
import { randomId } from '../../frames/handle.ts';
import type { StatementParameters } from '../../frames/ports/engine.ts';
import type { SqlDescription } from '../../frames/sql/sql.ts';

export interface PreparedStatement {
  readonly handle: string;
  readonly tenant: string;
  readonly sql: string;
  description: SqlDescription;
  /** Milliseconds, on the clock of the table. */
  describedAt: number;
  /** Bound by DoPut, for the executions that follow. */
  parameters: StatementParameters | null;
  usedAt: number;
}

export interface PreparedLimits {
  readonly countMax: number;
  readonly idleMs: number;
  /** Of texts, descriptions and bound parameters. */
  readonly bytesMax: number;
}

/**
 * Prepared statements between calls: a text, what it gives, and bound parameters; no place in the engine. Clients forget to close them, and
 * a connection that breaks closes nothing: so there are bounds, and the one that was not used for the longest time goes first.
 */
export class PreparedStatements {
  readonly #bounds: PreparedLimits;
  readonly #now: () => number;
  /** In order of use: the oldest first. */
  readonly #held = new Map<string, PreparedStatement>();
  #bytes = 0;

  constructor(bounds: PreparedLimits, now: () => number = () => performance.now()) {
    this.#bounds = bounds;
    this.#now = now;
  }

  get size(): number {
    return this.#held.size;
  }

  add(caller: Caller, sql: string, description: SqlDescription): PreparedStatement {
    const now = this.#now();
    const base = { handle: randomId(), tenant: caller.tenant, sql, description };
    const statement = { ...base, describedAt: now, usedAt: now, parameters: null };
    this.#keep(statement);
    return statement;
  }

  /** Counts as a use. */
  get(caller: Caller, handle: Uint8Array): PreparedStatement {
    this.#expire();
    const statement = this.#held.get(Buffer.from(handle).toString('latin1'));
    if (statement === undefined || statement.tenant !== caller.tenant) {
      throw new FrameholdError('query_not_found', 'There is no such prepared statement.', {
        hint: 'It was closed, or it was not used for too long. Prepare it again.',
      });
    }
    this.#drop(statement);
    statement.usedAt = this.#now();
    this.#keep(statement);
    return statement;
  }

  bind(statement: PreparedStatement, parameters: StatementParameters | null): void {
    this.#change(statement, () => {
      statement.parameters = parameters;
    });
  }

  describe(statement: PreparedStatement, description: SqlDescription): void {
    this.#change(statement, () => {
      statement.description = description;
      statement.describedAt = this.#now();
    });
  }

  /** Closing what is not there is fine: it may have expired. */
  close(caller: Caller, handle: Uint8Array): void {
    const statement = this.#held.get(Buffer.from(handle).toString('latin1'));
    if (statement !== undefined && statement.tenant === caller.tenant) this.#drop(statement);
  }

  isOlderThan(statement: PreparedStatement, ms: number): boolean {
    return this.#now() - statement.describedAt > ms;
  }

  /** One that another call has closed meanwhile stays closed. */
  #change(statement: PreparedStatement, change: () => void): void {
    const isHeld = this.#held.get(statement.handle) === statement;
    if (isHeld) this.#drop(statement);
    change();
    if (isHeld) this.#keep(statement);
  }

  #keep(statement: PreparedStatement): void {
    this.#held.set(statement.handle, statement);
    this.#bytes += bytesOf(statement);
    this.#expire();
    while (this.#held.size > this.#bounds.countMax || this.#bytes > this.#bounds.bytesMax) {
      const victim = this.#dispensable(statement);
      if (victim === undefined) return;
      this.#drop(victim);
    }
  }

  /** The oldest of the tenant that holds most, so that nobody loses statements because another prepares many. */
  #dispensable(kept: PreparedStatement): PreparedStatement | undefined {
    const others = [...this.#held.values()].filter((held) => held !== kept);
    const bytes = new Map<string, number>();
    for (const held of others)
      bytes.set(held.tenant, (bytes.get(held.tenant) ?? 0) + bytesOf(held) + entryBytes);
    const most = Math.max(...bytes.values());
    return others.find(({ tenant }) => bytes.get(tenant) === most);
  }

  #drop(statement: PreparedStatement): void {
    if (this.#held.delete(statement.handle)) this.#bytes -= bytesOf(statement);
  }

  #expire(): void {
    const before = this.#now() - this.#bounds.idleMs;
    for (const statement of this.#held.values()) {
      if (statement.usedAt >= before) return;
      this.#drop(statement);
    }
  }
}

/** What one takes beside its texts: so that a thousand small ones weigh something, too. */
const entryBytes = 1_024;

function bytesOf({ sql, description, parameters }: PreparedStatement): number {
  const schemas = (description.schemaMessage?.length ?? 0) + description.parameterSchemaMessage.length;
  return sql.length * 2 + schemas + (parameters?.kind === 'arrow' ? parameters.stream.length : 0);
}
