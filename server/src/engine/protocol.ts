import type { ErrorKind, ErrorPayload, TextPlace } from '../model/errors.ts';
import { errorKinds, FrameholdError } from '../model/errors.ts';
import {
  catalogViews,
  type EngineFunction,
  type EngineVocabulary,
  type StatementComment,
  type StatementShape,
  type StatementTarget,
} from '../ports/engine.ts';
import type { WireLimits } from './wire.ts';

/** The socket's number in an engine process. 0 to 2 are the standard streams. */
export const protocolDescriptor = 3;

/** From the server. Heads are structured clones: what they carry is the server's own. */
export const toEngine = {
  /** head: RunnerOptions. Once, before all else. */
  start: 1,
  /** head: TenantStatement. */
  begin: 2,
  /** head: LimitedBind. If it says that the statement runs, that follows without a `run`. */
  bind: 3,
  /** head: StatementParameters or null. */
  run: 4,
  /** head: bytes of a batch that its reader has taken. */
  taken: 5,
  /** Stop what runs, free what is held, and say `closed`. */
  close: 6,
  /** Instead of a statement, in its place: answered by `vocabulary`, then closed. */
  vocabulary: 7,
} as const;

/** From an engine process. Heads are JSON and are validated: the process runs untrusted SQL. */
export const toServer = {
  ready: 1,
  /** head: StatementShape. */
  begun: 2,
  /** head: schema message of the rows; body: that of the parameters. */
  bound: 3,
  /** head: header of the message; body: its body. */
  batch: 4,
  /** The rows are whole. head: how many batches there were. The process goes on with `closed` by itself. */
  done: 5,
  /** head: ErrorPayload. */
  failed: 6,
  /** The process is free for the next statement. */
  closed: 7,
  /** head: how much of the work is done, from 0 to 1. Only while the statement runs, and not often. */
  progress: 8,
  /** head: EngineVocabulary. */
  vocabulary: 9,
} as const;

/** Often enough for a bar that moves; a statement that takes less has none. */
export const progressEveryMs = 250;

/** Batches that may be on their way or unread: two are being made or travel while two wait for their reader. */
export const batchesAhead = 4;
/** And their bytes, so that large batches do not pile up. One more batch may be on its way if this is not reached. */
export const bytesAhead = 12 * 1024 ** 2;

/** A batch is some 4 MiB; only a few rows that are huge make a larger one. Above this it is refused. */
export const batchBytesMax = 128 * 1024 ** 2;

/** A header has some 40 bytes for each column: 64 MiB is what uploads may have, too. */
export const limitsOfEngine: WireLimits = { headBytesMax: 64 * 1024 ** 2, bodyBytesMax: batchBytesMax };

/** Texts and parameters are bounded by the listeners; a schema message is below 64 MiB, and a statement may name many tables. */
export const limitsOfServer: WireLimits = { headBytesMax: 1024 ** 3, bodyBytesMax: 0 };

/** An error's text as callers see it; the rest is cut off. */
const detailCharactersMax = 16 * 1024;

export function parseShape(head: Uint8Array): StatementShape {
  const value = record(parseJson(head));
  const kinds = ['query', 'explain', 'create', 'insert', 'drop', 'comment'] as const;
  const kind = kinds.find((each) => each === value.kind);
  const { parameterCount, repeats, catalogKey } = value;
  if (kind === undefined || typeof parameterCount !== 'number' || !Number.isSafeInteger(parameterCount))
    throw new Error('not the shape of a statement');
  return {
    kind,
    target: value.target === null ? null : parseTarget(record(value.target)),
    tables: strings(value.tables),
    upstreamQueries: strings(value.upstreamQueries),
    catalog: catalogViews.filter((view) => strings(value.catalog).includes(view)),
    parameterCount,
    ...(repeats === 'rows' || repeats === 'columns' ? { repeats } : {}),
    ...(typeof catalogKey === 'string' || catalogKey === null ? { catalogKey } : {}),
  };
}

export function parseVocabulary(head: Uint8Array): EngineVocabulary {
  const { functions, keywords } = record(parseJson(head));
  if (!Array.isArray(functions)) throw new Error('not a list');
  return { functions: functions.map((each) => parseFunction(record(each))), keywords: strings(keywords) };
}

function parseFunction(value: Readonly<Record<string, unknown>>): EngineFunction {
  const kind = (['scalar', 'aggregate', 'table'] as const).find((each) => each === value.kind);
  if (kind === undefined) throw new Error('not the kind of a function');
  const description = value.description === null ? null : string(value.description);
  return { name: string(value.name), kind, parameters: strings(value.parameters), description };
}

function parseTarget(value: Readonly<Record<string, unknown>>): StatementTarget {
  return {
    name: string(value.name),
    orReplace: value.orReplace === true,
    conditional: value.conditional === true,
    columns: value.columns === null ? null : strings(value.columns),
    byName: value.byName === true,
    ...(value.comment === undefined ? {} : { comment: parseComment(record(value.comment)) }),
  };
}

function parseComment({ column, text }: Readonly<Record<string, unknown>>): StatementComment {
  return {
    column: column === null ? null : string(column),
    text: text === null ? null : string(text),
  };
}

export function parseFailure(head: Uint8Array): FrameholdError {
  const value = record(parseJson(head));
  const detail = string(value.detail).slice(0, detailCharactersMax);
  const kind = string(value.kind);
  if (!isKind(kind) || errorKinds[kind].ofStatement !== true) {
    const stack = typeof value.stack === 'string' ? value.stack.slice(0, detailCharactersMax) : detail;
    return new FrameholdError('engine_failed', 'The engine failed at this statement.', {
      cause: new Error(stack),
    });
  }
  const hint = typeof value.hint === 'string' ? { hint: value.hint.slice(0, detailCharactersMax) } : {};
  const place = value.place === undefined ? {} : { place: parsePlace(record(value.place)) };
  const sqlState = typeof value.sqlState === 'string' ? { sqlState: value.sqlState.slice(0, 5) } : {};
  return new FrameholdError(kind, detail, { ...hint, ...place, ...sqlState });
}

function parsePlace({ position, line, column }: Readonly<Record<string, unknown>>): TextPlace {
  return { position: count(position), line: count(line), column: count(column) };
}

export function failureHead(payload: ErrorPayload): Uint8Array {
  return jsonHead(payload);
}

export function jsonHead(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

export function parseCount(head: Uint8Array): number {
  return count(parseJson(head));
}

export function parseProgress(head: Uint8Array): number {
  const value = parseJson(head);
  if (typeof value !== 'number' || !(value >= 0 && value <= 1)) throw new Error('not a share');
  return value;
}

function count(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new Error('not a count');
  return value;
}

function isKind(kind: string): kind is ErrorKind {
  return Object.hasOwn(errorKinds, kind);
}

function parseJson(head: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(head));
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  return value as Readonly<Record<string, unknown>>;
}

function string(value: unknown): string {
  if (typeof value !== 'string') throw new Error('not a text');
  return value;
}

function strings(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw new Error('not a list');
  return value.map(string);
}
