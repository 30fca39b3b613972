import type { EngineName } from '../model/engine-name.ts';
import type { StatementParameters } from './engine.ts';

/** What can be bound between calls. */
export type BoundParameters = Extract<StatementParameters, { readonly kind: 'arrow' }>;

export interface PreparedStatement {
  readonly handle: string;
  readonly tenant: string;
  readonly sql: string;
  /** What runs it. */
  readonly engine: EngineName;
  readonly description: SqlDescription;
  /** Milliseconds, by the clock of the table. */
  readonly describedAt: number;
  /** Bound for the executions that follow. */
  readonly parameters: BoundParameters | null;
}

/**
 * Prepared statements between calls, from whichever process they come: a text, what it gives, and bound parameters. They are limited in number, bytes
 * and idle time, because clients forget to close them.
 */
export interface PreparedStatements {
  /** `engine`: the default one if absent. */
  add(
    tenant: string,
    sql: string,
    description: SqlDescription,
    engine?: EngineName,
  ): Promise<PreparedStatement>;
  /** Counts as a use. query_not_found. */
  get(tenant: string, handle: string): Promise<PreparedStatement>;
  /** Nothing happens if it was closed in the meantime. */
  bind(statement: PreparedStatement, parameters: BoundParameters | null): Promise<void>;
  /** As `bind`. */
  describe(statement: PreparedStatement, description: SqlDescription): Promise<void>;
  /** Closing one that is not there is no error: it may have expired. */
  close(tenant: string, handle: string): Promise<void>;
  isOlderThan(statement: PreparedStatement, ms: number): boolean;
  /** How many there can be. */
  readonly countMax: number;
  /** How long one that is not used is kept. */
  readonly idleMs: number;
}

export interface SqlDescription {
  /** A statement that changes something gives no rows. */
  readonly isQuery: boolean;
  /** null for a change. */
  readonly schemaMessage: Uint8Array | null;
  readonly parameterSchemaMessage: Uint8Array;
}

export interface PreparedLimits {
  readonly countMax: number;
  readonly idleMs?: number;
  /** Of texts, descriptions and bound parameters. */
  readonly bytesMax?: number;
}
