import type { Action } from '../../frames/access/access.ts';

export type Isolation = 'read uncommitted' | 'read committed' | 'repeatable read' | 'serializable';

/** What BEGIN and SET TRANSACTION can say; absent: as before. */
export interface TransactionModes {
  readonly isolation?: Isolation;
  readonly readOnly?: boolean;
}

export interface CopyOptions {
  readonly format: 'text' | 'csv' | 'binary';
  readonly header: boolean;
  readonly delimiter: string;
  readonly nullText: string;
  readonly quote: string;
  readonly escape: string;
  /** `*`: all columns. */
  readonly forceQuote?: readonly string[] | '*';
}

/** A part of a statement that is a statement itself. */
export interface InnerStatement {
  readonly text: string;
  /** Where it begins in the statement. */
  readonly start: number;
}

/** `set_config('jit', 'off', false) AS new` */
export interface SessionCall {
  readonly name: SessionFunction;
  /** Of the column, if it has one. */
  readonly alias: string | null;
  readonly values: readonly string[];
}

export const sessionFunctions = [
  'current_catalog',
  'current_database',
  'current_role',
  'current_schema',
  'current_setting',
  'current_user',
  'pg_advisory_unlock_all',
  'pg_backend_pid',
  'pg_is_in_recovery',
  'session_user',
  'set_config',
  'user',
  'version',
] as const;
export type SessionFunction = (typeof sessionFunctions)[number];

/** What a statement is, as far as the listener decides that by its first words. */
export type Command =
  | { readonly kind: 'empty' }
  /** For the engine. `tag`: what CommandComplete begins with. */
  | { readonly kind: 'query'; readonly tag: string }
  /** Would change something. */
  | { readonly kind: 'change'; readonly tag: string; readonly action: Action }
  | { readonly kind: 'unsupported'; readonly tag: string; readonly hint: string }
  | { readonly kind: 'begin'; readonly tag: 'BEGIN' | 'START TRANSACTION'; readonly modes: TransactionModes }
  | { readonly kind: 'commit' | 'rollback'; readonly chain: boolean }
  | { readonly kind: 'savepoint' | 'release' | 'rollback-to'; readonly name: string }
  | { readonly kind: 'set-transaction'; readonly modes: TransactionModes; readonly isSession: boolean }
  /** null: the default. */
  | { readonly kind: 'set'; readonly name: string; readonly value: string | null; readonly isLocal: boolean }
  /** null: all of them. */
  | { readonly kind: 'show' | 'reset'; readonly name: string | null }
  | { readonly kind: 'discard'; readonly what: 'ALL' | 'PLANS' | 'SEQUENCES' | 'TEMP' }
  | { readonly kind: 'deallocate' | 'close'; readonly name: string | null }
  | {
      readonly kind: 'prepare';
      readonly name: string;
      readonly types: readonly string[];
      readonly inner: InnerStatement;
    }
  | { readonly kind: 'execute'; readonly name: string; readonly values: readonly string[] }
  | {
      readonly kind: 'declare';
      readonly name: string;
      readonly isHeld: boolean;
      readonly inner: InnerStatement;
    }
  /** `rows` null: all that are left. */
  | { readonly kind: 'fetch' | 'move'; readonly name: string; readonly rows: number | null }
  | { readonly kind: 'copy'; readonly inner: InnerStatement; readonly options: CopyOptions }
  /** Nothing ever notifies here, so there is nothing to do. */
  | { readonly kind: 'listen'; readonly tag: 'LISTEN' | 'UNLISTEN' | 'NOTIFY' }
  /** A query of nothing but what the session knows itself. */
  | { readonly kind: 'functions'; readonly calls: readonly SessionCall[] }
  | { readonly kind: 'signal'; readonly title: string; readonly ends: boolean; readonly backend: number };
