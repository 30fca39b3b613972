import type { FrameNotes, NotesChange } from './answers.ts';
import type { CallOptions } from './call-options.ts';
import { FrameTags } from './frame-tags.ts';
import { pathPart, type Transport } from './transport.ts';

/** What people say of frames: descriptions, owners, labels, and what columns mean. */
export class FrameNotesCalls extends FrameTags {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  async notes(name: string, { signal }: CallOptions = {}): Promise<FrameNotes> {
    return await this.#transport.json(notesPath(name), { signal });
  }

  /** Members that are given replace those that are there, null removes them; what is not given stays. Returns all of them. */
  async note(name: string, change: NotesChange, { signal }: CallOptions = {}): Promise<FrameNotes> {
    return await this.#transport.json(notesPath(name), {
      method: 'PATCH',
      json: JSON.stringify(change),
      signal,
    });
  }
}

function notesPath(name: string): string {
  return `v1/frames/${pathPart(name)}/notes`;
}
