import { FrameholdError } from '../../model/errors.ts';
import { type FrameNotes, notesId, searchedText } from '../../model/notes.ts';
import type { FoundNames, SearchPage } from '../../ports/catalog/notes.ts';

/** Of a tenant together. Enough for a hundred thousand frames with a page of text each would be more than anybody writes. */
const tenantBytesMax = 64 * 1024 * 1024;

/** The row of the table: `body` is JSON. */
export interface NotesRow {
  readonly body: string;
}

/** null: nothing is said. */
export function notesOf(row: NotesRow | undefined): FrameNotes | null {
  return row === undefined ? null : (JSON.parse(row.body) as FrameNotes);
}

/** What a row has of them: the text that is searched, and the bytes of both. */
export function storedNotes(
  notes: FrameNotes,
): NotesRow & { readonly words: string; readonly bytes: number } {
  const body = JSON.stringify(notes);
  const words = searchedText(notes);
  return { body, words, bytes: Buffer.byteLength(body) + Buffer.byteLength(words) };
}

/** version_mismatch if something else is said than the caller has read. False if the change is made already. */
export function checkNotes(
  name: string,
  found: FrameNotes | null,
  { notes, expected }: { readonly notes: FrameNotes | null; readonly expected: string | null },
): boolean {
  const id = notesId(found);
  if (id === notesId(notes)) return false;
  if (id === expected) return true;
  throw new FrameholdError(
    'version_mismatch',
    `The notes of ${JSON.stringify(name)} were changed meanwhile.`,
    {
      hint: 'Read them again, and repeat the change if it is still wanted.',
    },
  );
}

export function checkNotesBytes(bytes: number): void {
  if (bytes <= tenantBytesMax) return;
  throw new FrameholdError(
    'quota_exceeded',
    `All notes of a tenant take at most ${tenantBytesMax} bytes together.`,
    {
      hint: 'Shorten or remove some of them.',
    },
  );
}

/** A name that a search has looked at. */
export interface ScannedRow {
  readonly name: string;
  readonly lower: string;
  readonly is_found: number | boolean;
}

/** `scanned`: the names of the page in order, as many as it may look at. */
export function foundNames(scanned: readonly ScannedRow[], { limit, scanMax }: SearchPage): FoundNames {
  const names: string[] = [];
  for (const { name, lower, is_found: isFound } of scanned) {
    if (!isFound) continue;
    names.push(name);
    if (names.length === limit) return { names, next: lower };
  }
  return { names, next: scanned.length < scanMax ? null : (scanned.at(-1)?.lower ?? null) };
}
