import { isObject } from '../../base/is-object.ts';
import { FrameholdError } from '../../model/errors.ts';
import type { ColumnNotes, NotesPatch } from '../../model/notes.ts';

/** A change of notes, as a merge patch (RFC 7396) of their JSON. */
export function notesPatchIn(body: unknown): NotesPatch {
  if (!isObject(body)) throw notNotes('it is no object');
  const { description, owner, labels, columns, ...others } = body;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw notNotes(`it has a member ${JSON.stringify(unknown.slice(0, 80))}`);
  return {
    ...textIn('description', description),
    ...textIn('owner', owner),
    ...(labels === undefined ? {} : { labels: labelsIn(labels) }),
    ...(columns === undefined ? {} : { columns: columnsIn(columns) }),
  };
}

function textIn<Member extends string>(
  member: Member,
  value: unknown,
): { readonly [Each in Member]?: string | null } {
  if (value === undefined) return {};
  if (value !== null && typeof value !== 'string') throw notNotes(`${member} is neither a text nor null`);
  return { [member]: value } as { readonly [Each in Member]: string | null };
}

function labelsIn(value: unknown): readonly string[] | null {
  if (value === null) return null;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw notNotes('labels is no list of texts');
}

function columnsIn(value: unknown): (NotesPatch['columns'] & {}) | null {
  if (value === null) return null;
  if (!isObject(value)) throw notNotes('columns is no object');
  return Object.fromEntries(Object.entries(value).map(([name, notes]) => [name, columnIn(name, notes)]));
}

function columnIn(name: string, value: unknown): Partial<ColumnNotes> | null {
  if (value === null) return null;
  const shown = JSON.stringify(name.slice(0, 80));
  if (!isObject(value)) throw notNotes(`the column ${shown} is no object`);
  const { comment, unit, ...others } = value;
  if (Object.keys(others).length > 0) throw notNotes(`the column ${shown} has more than comment and unit`);
  return { ...textIn('comment', comment), ...textIn('unit', unit) };
}

function notNotes(why: string): FrameholdError {
  return new FrameholdError('bad_request', `That is no change of notes: ${why}.`, {
    hint: 'For example {"description": "Trades of the day", "labels": ["daily"], "columns": {"price": {"comment": "at the close", "unit": "USD"}}}; null removes a member.',
  });
}
