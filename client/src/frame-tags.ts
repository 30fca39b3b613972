import type { Tag } from './answers.ts';
import type { CallOptions } from './call-options.ts';
import { FrameSharing } from './frame-sharing.ts';
import { pathPart, type Transport } from './transport.ts';

export interface TagOptions extends CallOptions {
  /** Fail if there is such a tag. */
  readonly createOnly?: boolean;
  /** The ETag of the manifest of `name@tag`: fail unless the tag still names that version. */
  readonly ifMatch?: string;
}

/** Names for versions: `trades@gold`. */
export class FrameTags extends FrameSharing {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    super(transport);
    this.#transport = transport;
  }

  /** Newest version first. */
  async tags(name: string, { signal }: CallOptions = {}): Promise<readonly Tag[]> {
    const path = `v1/frames/${pathPart(name)}/tags`;
    const { tags } = await this.#transport.json<{ readonly tags: readonly Tag[] }>(path, { signal });
    return tags;
  }

  /** The version that the handle names gets the tag, and is kept as long as it has one. A tag that is there is moved. */
  async tag(handle: string, tag: string, { createOnly, ifMatch, signal }: TagOptions = {}): Promise<Tag> {
    const headers = {
      ...(createOnly ? { 'if-none-match': '*' } : {}),
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    };
    return await this.#transport.json(tagPath(handle, tag), { method: 'PUT', headers, signal });
  }

  async untag(
    name: string,
    tag: string,
    { ifMatch, signal }: Omit<TagOptions, 'createOnly'> = {},
  ): Promise<void> {
    const headers: Record<string, string> = ifMatch === undefined ? {} : { 'if-match': ifMatch };
    await this.#transport.done(tagPath(name, tag), { method: 'DELETE', headers, signal });
  }
}

function tagPath(handle: string, tag: string): string {
  return `v1/frames/${pathPart(handle)}/tags/${pathPart(tag)}`;
}
