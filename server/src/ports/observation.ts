import type { TimeLine } from '../base/request-time.ts';
import type { CallerLine } from '../model/caller.ts';
import type { EngineName } from '../model/engine-name.ts';
import type { ErrorKind } from '../model/errors.ts';
import type { StreamEnd } from '../model/stream-end.ts';
import type { UsedLine } from '../model/used.ts';

/** What happened, as data. Telemetry decides which become log lines and which become metrics. No observation carries a handle as a label. */
export type Observation =
  /** A line of the audit log: a change, or a refusal. Built in `audit.ts`. */
  | {
      readonly event: 'audit';
      /** A name from the table of actions; `enter` is authentication, `frame.expired` a name that has expired, `token.create` the token of a first start. */
      readonly action: string;
      /** failed: it was sent to the external database, and may or may not have taken effect there. */
      readonly outcome: 'done' | 'refused' | 'failed';
      readonly reason: ErrorKind | null;
      readonly detail: string | null;
      /** Of the caller; of an operator, who has none, the one it acted on. null if the caller is unknown. */
      readonly tenant: string | null;
      readonly caller: string | null;
      readonly frame: string | null;
      /** The id of the SQL statement that did it, or that it is about. */
      readonly statement: string | null;
      /** What runs that statement; absent if it is the default engine. */
      readonly engine?: EngineName;
      /** null outside of requests. */
      readonly remote: string | null;
      readonly requestId: string | null;
    }
  | { readonly event: 'certificates-reloaded' }
  | { readonly event: 'certificates-failed'; readonly error: unknown }
  | {
      readonly event: 'put';
      readonly tenant: string;
      readonly name: string;
      readonly version: number;
      readonly mode: string;
      readonly rows: number;
      readonly bytes: number;
      readonly durationMs: number;
    }
  | {
      readonly event: 'read';
      readonly tenant: string;
      readonly name: string;
      readonly version: number;
      readonly format: string;
    }
  | {
      readonly event: 'dropped';
      readonly tenant: string;
      readonly name: string;
      readonly version: number | null;
      /** It cannot be undropped. */
      readonly purged: boolean;
    }
  | {
      readonly event: 'undropped';
      readonly tenant: string;
      readonly name: string;
      readonly version: number;
    }
  | {
      readonly event: 'restored';
      readonly tenant: string;
      readonly name: string;
      readonly version: number;
      readonly from: number;
    }
  /** A dropped frame that could still have been undropped was given up, because the disk was short of room. */
  | { readonly event: 'dropped-released'; readonly tenant: string; readonly name: string }
  | {
      readonly event: 'expiry-set';
      readonly tenant: string;
      readonly name: string;
      readonly expiresAt: number | null;
    }
  | {
      readonly event: 'versions-keep-set';
      readonly tenant: string;
      readonly name: string;
      readonly versionsKeep: number | null;
    }
  | {
      readonly event: 'settled';
      readonly partId: string;
      readonly files: number;
      readonly bytes: number;
      readonly exact: boolean;
      readonly durationMs: number;
    }
  | { readonly event: 'settle-refused'; readonly partId: string; readonly reason: string }
  | { readonly event: 'settle-failed'; readonly partId: string; readonly error: unknown }
  | {
      readonly event: 'merged';
      /** The new part, and how many it replaces. */
      readonly partId: string;
      readonly parts: number;
      readonly rows: number;
      readonly bytes: number;
      readonly durationMs: number;
    }
  /** Small parts were written as one Parquet file for the statements that read them. */
  | {
      readonly event: 'gathered';
      readonly parts: number;
      readonly bytes: number;
      readonly durationMs: number;
    }
  /** A statement has ended, with or without success. */
  | (CallerLine &
      UsedLine & {
        readonly event: 'sql';
        readonly requestId: string;
        /** null if it was not parsed. */
        readonly kind: 'query' | 'explain' | 'create' | 'insert' | 'drop' | 'comment' | null;
        readonly engine: EngineName;
        /** The answer was kept: no engine ran it. */
        readonly kept?: boolean;
        readonly outcome: 'ok' | ErrorKind;
        readonly rows: number;
        readonly queueMs: number;
        readonly prepareMs: number;
        readonly durationMs: number;
        /** Only at the debug level: it may contain anything. */
        readonly text: string;
      })
  | { readonly event: 'merge-refused'; readonly partId: string; readonly reason: string }
  | {
      readonly event: 'merge-failed';
      /** The first of the parts. */
      readonly partId: string;
      readonly parts: number;
      readonly error: unknown;
    }
  /** A form was recompressed; if that did not pay, `bytes` is `bytesBefore`. */
  | {
      readonly event: 'squeezed';
      readonly partId: string;
      readonly form: 'arrow';
      readonly zstdLevel: number;
      readonly bytesBefore: number;
      readonly bytes: number;
      readonly durationMs: number;
    }
  | {
      readonly event: 'squeeze-failed';
      readonly partId: string;
      readonly form: 'arrow';
      readonly error: unknown;
    }
  | { readonly event: 'evicted'; readonly partId: string; readonly bytes: number }
  | { readonly event: 'objects-removed'; readonly count: number }
  | { readonly event: 'orphans-removed'; readonly count: number }
  | { readonly event: 'catalog-lookup'; readonly durationMs: number }
  | { readonly event: 'restore-guard'; readonly state: 'sound' | 'restored' | 'foreign' }
  /** A newer server has changed the shared catalog so that this node cannot use it: it answers nothing any more. */
  | { readonly event: 'node-outdated'; readonly detail: string; readonly hint: string }
  | {
      readonly event: 'object-damaged';
      readonly key: string;
      readonly fault: string;
      readonly detail: string;
      readonly frames: readonly string[];
      readonly recovered: boolean;
    }
  | { readonly event: 'object-sound-again'; readonly key: string }
  | { readonly event: 'damaged-removed'; readonly key: string }
  | { readonly event: 'scrubbed'; readonly objects: number; readonly bytes: number; readonly damaged: number }
  | { readonly event: 'disk-room'; readonly freeBytes: number }
  | { readonly event: 'disk-low'; readonly freeBytes: number; readonly reserveBytes: number }
  | { readonly event: 'disk-room-again'; readonly freeBytes: number }
  | { readonly event: 'settle-paused'; readonly partId: string; readonly reason: string }
  | { readonly event: 'background-failed'; readonly job: string; readonly error: unknown }
  | (CallerLine &
      UsedLine &
      TimeLine & {
        readonly event: 'http-request';
        readonly requestId: string;
        readonly method: string;
        readonly route: string;
        /** Machines send these every few seconds; successful ones are not worth a line. */
        readonly isProbe: boolean;
        readonly path: string;
        readonly status: number;
        readonly bytes: number;
        readonly durationMs: number;
        readonly remote: string;
        readonly broken: boolean;
      })
  | (CallerLine &
      UsedLine &
      TimeLine & {
        readonly event: 'flight-call';
        readonly requestId: string;
        readonly method: string;
        readonly status: number;
        readonly durationMs: number;
        readonly bytes: number;
        readonly remote: string;
      })
  | (CallerLine &
      UsedLine &
      TimeLine & {
        readonly event: 'postgres-message';
        readonly requestId: string;
        /** What the client sent: `query` is a statement, or several. */
        readonly message: 'query' | 'parse' | 'bind' | 'describe' | 'execute' | 'close';
        /** 00000: it succeeded. */
        readonly sqlState: string;
        readonly durationMs: number;
        readonly bytes: number;
        readonly remote: string;
      })
  | {
      readonly event: 'request-failed';
      readonly requestId: string;
      readonly kind: ErrorKind;
      readonly detail: string;
      readonly cause: unknown;
    }
  /** A process of the SQL engine crashed, or had to be ended. */
  | {
      readonly event: 'engine-process-ended';
      readonly pid: number | null;
      readonly reason: 'crash' | 'stuck' | 'memory' | 'disk' | 'protocol' | 'start';
      readonly code: number | null;
      readonly signal: string | null;
      /** The end of what it wrote to standard error. */
      readonly lastWords: string;
    }
  /** The driver of Spark did not answer when it was asked. Statements for it are refused until it does. */
  | { readonly event: 'spark-silent'; readonly address: string; readonly error: unknown }
  | { readonly event: 'spark-answers-again'; readonly address: string }
  | {
      readonly event: 'connection-refused';
      readonly listener: 'http' | 'flight' | 'postgres';
      /** The setting of the limit. */
      readonly setting: string;
      readonly limit: number;
    }
  /** Statements that are missing in the history of their callers. `error` is null if there were too many. */
  | { readonly event: 'history-lost'; readonly count: number; readonly error: unknown }
  | { readonly event: 'rendered-cache'; readonly hit: boolean }
  /** Whether the answer of a statement that may be kept was there. */
  | { readonly event: 'sql-answer'; readonly hit: boolean }
  /** Answers of statements that are kept now. */
  | { readonly event: 'sql-answers'; readonly count: number; readonly bytes: number }
  /** Whether an object that was opened had a copy on this machine; only if objects are kept elsewhere. */
  | { readonly event: 'object-cache'; readonly hit: boolean }
  | { readonly event: 'object-fetched'; readonly bytes: number; readonly durationMs: number }
  | { readonly event: 'cache-evicted'; readonly count: number }
  | { readonly event: 'cache-size'; readonly bytes: number; readonly objects: number }
  | {
      readonly event: 's3-requests';
      readonly operation: string;
      /** retried: it failed and was repeated. */
      readonly outcome: 'ok' | 'retried' | 'failed';
      readonly count: number;
    }
  | { readonly event: 'event-stream-ended'; readonly reason: StreamEnd };

export type Observe = (observation: Observation) => void;
