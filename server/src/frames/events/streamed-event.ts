import type { FrameholdError } from '../../model/errors.ts';
import type { FrameEvent } from '../../ports/catalog/events.ts';
import type { OpenQuery, StatementOutcome } from '../../ports/running-queries.ts';
import type { EventId, StreamedEvent } from './events.ts';

/** Of the text of a statement, and of an error: enough to recognise it. */
const shownCharacters = 1_000;

export function frameEvent({ seq, mark, kind, at, frame }: FrameEvent): StreamedEvent {
  const { expiresAt, ...rest } = frame;
  const expiry = expiresAt === undefined ? {} : { expiresAt: expiresAt === null ? null : isoTime(expiresAt) };
  return { id: { seq, mark }, kind, data: JSON.stringify({ ...rest, at: isoTime(at), ...expiry }) };
}

/** The first of a stream that begins now. */
export function helloEvent(last: EventId): StreamedEvent {
  return { id: last, kind: 'hello', data: JSON.stringify({ last: last.seq }) };
}

/** Events are missing: what the reader knows must be read anew, and is followed from here on. */
export function resetEvent(last: EventId): StreamedEvent {
  return { id: last, kind: 'reset', data: JSON.stringify({ last: last.seq }) };
}

export function startedEvent(query: OpenQuery): StreamedEvent {
  const data = { ...statementOf(query), state: query.state };
  return { id: null, kind: 'statement.started', data: JSON.stringify(data) };
}

export function endedEvent(query: OpenQuery, outcome: StatementOutcome, now: number): StreamedEvent {
  const durationMs = Math.max(0, now - query.startedAt);
  const data = { ...statementOf(query), durationMs, ...endOf(outcome) };
  return { id: null, kind: 'statement.ended', data: JSON.stringify(data) };
}

function statementOf({ id, sql, startedAt, rows }: OpenQuery): object {
  return { id, query: shortened(sql), startedAt: isoTime(startedAt), rows };
}

function endOf(outcome: StatementOutcome): object {
  if (outcome === 'ok') return { state: 'done' };
  if (outcome === 'cancelled') return { state: 'cancelled' };
  const error = { code: outcome.kind, detail: shortened(outcome.message) };
  return { state: isCancelled(outcome) ? 'cancelled' : 'failed', error };
}

function isCancelled({ kind }: FrameholdError): boolean {
  return kind === 'query_cancelled' || kind === 'cancelled';
}

function shortened(text: string): string {
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters - 1)}…` : text;
}

function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
