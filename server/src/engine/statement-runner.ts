import type { BufferPool } from '../base/buffer-pool.ts';
import type {
  BindRequest,
  BoundStatement,
  EngineVocabulary,
  StatementParameters,
  StatementShape,
} from '../ports/engine.ts';

/** What a process of the engine may use. */
export interface RunnerOptions {
  readonly threads: number;
  readonly memoryBytes: number;
  /** Private to the process; it goes with it. */
  readonly tempDirectory: string;
  readonly tempBytesMax: number;
  /** Private to the process, too, on the filesystem of the Parquet files; absent if the temporary directory is on it. */
  readonly linkDirectory?: string | undefined;
  /** A database file that every statement may read, as `analytics`. */
  readonly analyticsPath: string | null;
}

/** What goes to `StatementRunners.begin`. */
export interface TenantStatement {
  readonly sql: string;
  readonly tenant: string;
  /** It reads PostgreSQL's catalogs. */
  readonly isPostgres?: boolean;
}

/** What goes to `StatementRunner.bind`. */
export interface LimitedBind {
  /** The statement, if it has not begun: the server knows its shape and did not ask for it. */
  readonly begins?: TenantStatement;
  readonly request: BindRequest;
  readonly tempBytesMax: number;
}

/** A record or dictionary batch. */
export interface IpcPiece {
  readonly header: Uint8Array<ArrayBuffer>;
  /** Its parts, one behind the other. */
  readonly body: readonly Uint8Array[];
  readonly bodyBytes: number;
  /** To be called when the body is no longer needed: until then it does not change, and then its memory is used again. */
  release(): void;
}

/** One statement inside an engine process. Its methods are called one after another; `interrupt` at any time, and again. */
export interface StatementRunner {
  readonly shape: StatementShape;
  /** `tempBytesMax`: of its temporary files; the process's own limit if it is not given. */
  bind(request: BindRequest, tempBytesMax?: number): Promise<BoundStatement>;
  run(parameters: StatementParameters | null, pool: BufferPool): AsyncGenerator<IpcPiece, void, void>;
  /** How much of what runs is done, from 0 to 1, as the engine estimates it; null if it does not know. Answers at once. */
  progress(): number | null;
  /** Makes what runs end with an error, soon. Does nothing if nothing runs. */
  interrupt(): void;
  close(): Promise<void>;
}

/** What an engine process serves. */
export interface StatementRunners {
  /** Prepares for the next statement while nobody waits. */
  warm(options: RunnerOptions): Promise<void>;
  /** `tenant`: nothing that one tenant's statements leave is seen by those of another. */
  begin(sql: string, options: RunnerOptions, tenant: string, isPostgres: boolean): Promise<StatementRunner>;
  vocabulary(options: RunnerOptions): Promise<EngineVocabulary>;
}
