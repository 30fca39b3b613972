import type { Caller } from '../../model/caller.ts';
import { FrameholdError, isAbsent } from '../../model/errors.ts';
import type { Handle } from '../../model/handle.ts';
import {
  changeNotes,
  type FrameNotes,
  foldedText,
  isEmpty,
  type NotesPatch,
  noNotes,
  notesId,
} from '../../model/notes.ts';
import type { VersionRecord } from '../../model/version.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import { type AccessGuard, foundTarget, ownName } from '../access/access-guard.ts';
import type { Audit } from '../access/audit.ts';
import type { Frames } from '../frames.ts';
import { repeatIfUnknown } from '../unknown-outcome.ts';
import type { FoundFrames, FoundPage, Notes, NotesGuard, ReadNotes } from './notes.ts';

export interface NotesDependencies {
  readonly catalog: Pick<Catalog, 'resolve' | 'notes' | 'setNotes' | 'search'>;
  readonly frames: Pick<Frames, 'resolve'>;
  readonly access: AccessGuard;
  readonly audit: Audit;
  readonly now: () => number;
}

/** Names that one page looks at: some milliseconds. */
const scanMax = 5_000;
/** Others who change other members of the same notes at the same time lose nothing. */
const triesMax = 5;

export class NotesService implements Notes {
  readonly #dependencies: NotesDependencies;

  constructor(dependencies: NotesDependencies) {
    this.#dependencies = dependencies;
  }

  async read(caller: Caller, handle: Handle, signal: AbortSignal): Promise<ReadNotes> {
    const { frames, access } = this.#dependencies;
    const record = await frames.resolve(caller, handle, signal);
    access.check(caller, 'frame.notes', foundTarget(caller, record));
    return this.#read(record.tenant, record.name);
  }

  async ofOwn(caller: Caller, names: readonly string[]): Promise<readonly (FrameNotes | null)[]> {
    const { catalog, access, now } = this.#dependencies;
    access.check(caller, 'frame.notes');
    return await catalog.notes(caller.tenant, names, now());
  }

  async change(
    caller: Caller,
    name: string,
    patch: NotesPatch,
    guard: NotesGuard | null,
    signal: AbortSignal,
  ): Promise<ReadNotes> {
    const { catalog, access, audit, now } = this.#dependencies;
    access.check(caller, 'frame.note', ownName(caller, name));
    const { tenant } = caller;
    for (let tries = 1; ; tries++) {
      signal.throwIfAborted();
      const before = await this.#read(tenant, name);
      if (guard !== null && !guard(before.id))
        throw new FrameholdError(
          'version_mismatch',
          `The notes of ${JSON.stringify(name)} are others by now.`,
          {
            hint: 'Read them again, and repeat the change if it is still wanted.',
          },
        );
      const changed = changeNotes(before.notes, patch);
      const notes = isEmpty(changed) ? null : changed;
      const change = { tenant, name, notes, expected: before.id, setBy: caller.name, now: now() };
      try {
        await repeatIfUnknown(() => catalog.setNotes(change));
      } catch (error) {
        const isOvertaken = error instanceof FrameholdError && error.kind === 'version_mismatch';
        if (!isOvertaken || guard !== null || tries === triesMax) throw error;
        continue;
      }
      audit.done(caller, 'frame.note', name);
      return { notes: changed, id: notesId(notes) };
    }
  }

  async search(caller: Caller, { text, after, limit }: FoundPage, signal: AbortSignal): Promise<FoundFrames> {
    const { catalog, access, now } = this.#dependencies;
    access.check(caller, 'frame.list');
    signal.throwIfAborted();
    const { tenant } = caller;
    const found = await catalog.search(tenant, { text: foldedText(text), after, limit, scanMax }, now());
    const records = await Promise.all(found.names.map((name) => this.#newest(tenant, name)));
    return { frames: records.filter((record) => record !== null), next: found.next };
  }

  async #read(tenant: string, name: string): Promise<ReadNotes> {
    const { catalog, now } = this.#dependencies;
    const [notes = null] = await catalog.notes(tenant, [name], now());
    return { notes: notes ?? noNotes, id: notesId(notes) };
  }

  /** null: it has ended since it was found. */
  async #newest(tenant: string, name: string): Promise<VersionRecord | null> {
    const { catalog, now } = this.#dependencies;
    try {
      return await catalog.resolve(tenant, name, null, now());
    } catch (error) {
      if (isAbsent(error)) return null;
      throw error;
    }
  }
}
