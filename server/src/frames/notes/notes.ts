import type { Caller } from '../../model/caller.ts';
import type { Handle } from '../../model/handle.ts';
import type { FrameNotes, NotesPatch } from '../../model/notes.ts';
import type { VersionRecord } from '../../model/version.ts';

/** What people say of frames: descriptions, owners, labels, and what columns mean. */
export interface Notes {
  /** Of the frame, whichever version of it the handle names. */
  read(caller: Caller, handle: Handle, signal: AbortSignal): Promise<ReadNotes>;
  /** Of names of the caller's own, for catalogs that list them: null, nothing is said. */
  ofOwn(caller: Caller, names: readonly string[]): Promise<readonly (FrameNotes | null)[]>;
  /** `ifId`: only if these are the notes that are changed; version_mismatch. */
  change(
    caller: Caller,
    name: string,
    patch: NotesPatch,
    ifId: NotesGuard | null,
    signal: AbortSignal,
  ): Promise<ReadNotes>;
  /** Frames of the caller's own whose names or notes contain the text, in any case: a page, which may be empty although there is a next one. */
  search(caller: Caller, page: FoundPage, signal: AbortSignal): Promise<FoundFrames>;
}

export interface ReadNotes {
  readonly notes: FrameNotes;
  /** Of these notes; null: nothing is said. */
  readonly id: string | null;
}

/** Whether notes with this id are those that the caller has read. */
export type NotesGuard = (id: string | null) => boolean;

export interface FoundPage {
  readonly text: string;
  readonly after: string | null;
  readonly limit: number;
}

export interface FoundFrames {
  readonly frames: readonly VersionRecord[];
  readonly next: string | null;
}
