/** Why a call to Spark Connect failed. */
export type ConnectErrorReason =
  /** Spark refused or failed the statement: see `condition`, `sqlState` and `places`. */
  | 'spark'
  /** The operation was interrupted, by us or by somebody else. */
  | 'interrupted'
  /** Nobody answers at the address, or the connection broke and could not be made again. */
  | 'unreachable'
  /** No answer within the time that the call may take. */
  | 'deadline'
  /** The session or the operation is gone: Connect was restarted, or gave it up. */
  | 'lost'
  /** Connect wants another token. */
  | 'unauthenticated'
  /** What came is not what the protocol says. */
  | 'protocol';

/** Where in a SQL text an error is. Characters are counted as Java and JavaScript count them, from 0; the end is included. */
export interface ErrorPlace {
  readonly start: number;
  readonly stop: number;
  readonly fragment: string;
  /** Empty for the statement itself, VIEW for the text of a view. */
  readonly objectType: string;
}

export interface ConnectErrorDetails {
  /** Spark's name of the error, such as UNRESOLVED_COLUMN.WITH_SUGGESTION; null if it has none. */
  readonly condition?: string | null;
  readonly sqlState?: string | null;
  readonly parameters?: ReadonlyMap<string, string>;
  readonly places?: readonly ErrorPlace[];
  /** The names of the Java classes of the exception, the most special one first. */
  readonly classes?: readonly string[];
  /** gRPC's status code; null if the call itself went well. */
  readonly code?: number | null;
  /** Messages of the exceptions beneath, without stacks. */
  readonly causes?: readonly string[];
  readonly cause?: unknown;
}

/** A failed call. The message is Spark's own and may show values of the caller's rows: it is for that caller only. */
export class ConnectError extends Error {
  readonly reason: ConnectErrorReason;
  readonly code: number | null;
  readonly condition: string | null;
  readonly sqlState: string | null;
  readonly parameters: ReadonlyMap<string, string>;
  readonly places: readonly ErrorPlace[];
  readonly classes: readonly string[];
  readonly causes: readonly string[];

  constructor(reason: ConnectErrorReason, message: string, details: ConnectErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.name = 'ConnectError';
    this.reason = reason;
    this.code = details.code ?? null;
    this.condition = details.condition ?? null;
    this.sqlState = details.sqlState ?? null;
    this.parameters = details.parameters ?? new Map();
    this.places = details.places ?? [];
    this.classes = details.classes ?? [];
    this.causes = details.causes ?? [];
  }
}
