import { createHash } from 'node:crypto';
import { FrameholdError } from './errors.ts';

/** What people say of a frame. It belongs to the name: versions come and go. */
export interface FrameNotes {
  readonly description: string | null;
  readonly owner: string | null;
  readonly labels: readonly string[];
  /** By the name of the column, whether the newest version has it or not: it may come back. */
  readonly columns: Readonly<Record<string, ColumnNotes>>;
}

export interface ColumnNotes {
  readonly comment: string | null;
  /** Of its values: `USD`, `m/s`. */
  readonly unit: string | null;
}

/** Members that are given replace those that are there; null removes them. Of labels all are given; of columns only those that change. */
export interface NotesPatch {
  readonly description?: string | null;
  readonly owner?: string | null;
  readonly labels?: readonly string[] | null;
  readonly columns?: Readonly<Record<string, Partial<ColumnNotes> | null>> | null;
}

export const noNotes: FrameNotes = { description: null, owner: null, labels: [], columns: {} };

/** In characters. Notes are read as a whole, and shown to people and models. */
const lengthsMax = {
  description: 10_000,
  owner: 200,
  label: 100,
  comment: 2_000,
  unit: 100,
  column: 1_000,
} as const;
/** More are no longer labels but data. */
const labelsMax = 50;
/** Of one frame together, as JSON: a catalog reads them in one row. */
const notesBytesMax = 256 * 1024;

/** The notes with a change made to them. bad_request for what is too long, or empty. */
export function changeNotes(notes: FrameNotes, patch: NotesPatch): FrameNotes {
  const columns = patch.columns === null ? {} : { ...notes.columns };
  for (const [name, change] of Object.entries(patch.columns ?? {})) {
    checkText('column', name);
    const { comment, unit } =
      change === null ? noColumnNotes : { ...columnNotesOf({ columns }, name), ...change };
    checkText('comment', comment);
    checkText('unit', unit);
    if (comment === null && unit === null) delete columns[name];
    else define(columns, name, { comment, unit });
  }
  const description = patch.description === undefined ? notes.description : patch.description;
  const owner = patch.owner === undefined ? notes.owner : patch.owner;
  checkText('description', description);
  checkText('owner', owner);
  const labels = patch.labels === undefined ? notes.labels : [...new Set(patch.labels ?? [])];
  for (const label of labels) checkText('label', label);
  if (labels.length > labelsMax)
    throw new FrameholdError(
      'bad_request',
      `A frame may have ${labelsMax} labels, and would have ${labels.length}.`,
      {
        hint: 'Leave some of them out.',
      },
    );
  const changed = { description, owner, labels, columns };
  if (Buffer.byteLength(JSON.stringify(changed)) > notesBytesMax)
    throw new FrameholdError(
      'bad_request',
      `The notes of a frame take at most ${notesBytesMax} bytes together.`,
      {
        hint: 'Shorten comments, or leave some of them out.',
      },
    );
  return changed;
}

const noColumnNotes: ColumnNotes = { comment: null, unit: null };

/** Also of a column with the name of something that every object has. */
export function columnNotesOf({ columns }: Pick<FrameNotes, 'columns'>, name: string): ColumnNotes {
  return (Object.hasOwn(columns, name) ? columns[name] : undefined) ?? noColumnNotes;
}

/** Also under the name `__proto__`. */
function define(columns: Record<string, ColumnNotes>, name: string, notes: ColumnNotes): void {
  Object.defineProperty(columns, name, {
    value: notes,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

function checkText(what: keyof typeof lengthsMax, text: string | null): void {
  if (text === null || (text !== '' && text.length <= lengthsMax[what] && !text.includes('\0'))) return;
  throw new FrameholdError('bad_request', `A ${what} has 1 to ${lengthsMax[what]} characters, and no NUL.`, {
    hint: what === 'column' || what === 'label' ? 'Leave it out.' : 'Shorten it, or give null to remove it.',
  });
}

export function isEmpty({ description, owner, labels, columns }: FrameNotes): boolean {
  return description === null && owner === null && labels.length === 0 && Object.keys(columns).length === 0;
}

/** Changes whenever they do; null: nothing is said. */
export function notesId(notes: FrameNotes): string;
export function notesId(notes: FrameNotes | null): string | null;
export function notesId(notes: FrameNotes | null): string | null {
  return notes && createHash('sha256').update(JSON.stringify(notes)).digest('base64url').slice(0, 22);
}

/** What a search looks into: everything that was written, without regard to case or to forms of the same character. */
export function searchedText({ description, owner, labels, columns }: FrameNotes): string {
  const ofColumns = Object.entries(columns).flatMap(([name, { comment, unit }]) => [name, comment, unit]);
  return foldedText([description, owner, ...labels, ...ofColumns].filter((text) => text !== null).join('\n'));
}

export function foldedText(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
