import type { FrameNotes } from '../../model/notes.ts';

/** What people say of names. It ends with its name, and comes back with it. */
export interface NoteCatalog {
  /** Of live names, in their order; null: nothing was said, or there is no such live name. */
  notes(tenant: string, names: readonly string[], now: number): Promise<readonly (FrameNotes | null)[]>;
  /**
   * Replaces what was said of a live name; `notes` null: nothing is said any more. version_mismatch if something else is said than `expected` (an id of
   * `notesId`; null: nothing). quota_exceeded if all notes of the tenant are too many bytes together. Safe to repeat.
   */
  setNotes(change: NotesChange): Promise<void>;
  /** Live names whose own text or notes contain this text, folded, in order of their lower-case form. A page looks at `scanMax` names at most. */
  search(tenant: string, page: SearchPage, now: number): Promise<FoundNames>;
}

export interface NotesChange {
  readonly tenant: string;
  readonly name: string;
  readonly notes: FrameNotes | null;
  readonly expected: string | null;
  readonly setBy: string;
  readonly now: number;
}

export interface SearchPage {
  readonly text: string;
  /** The page begins after this lower-case name. */
  readonly after: string | null;
  readonly limit: number;
  readonly scanMax: number;
}

export interface FoundNames {
  readonly names: readonly string[];
  /** The next page begins after this lower-case name; null if there is none. */
  readonly next: string | null;
}
