import type { ObjectContent } from '../../ports/object-store.ts';

/** The file of an upload: complete, or still being written. */
export interface UploadSource {
  /** How many of its bytes can be read: at least so many, unless there are no more. */
  reach(bytes: number): Promise<number>;
  /** What it is, once it is complete. */
  content(): Promise<ObjectContent>;
}

export function completeSource(content: ObjectContent): UploadSource {
  return { reach: async () => content.bytes, content: async () => content };
}

/** A file that grows while it is sent. Its writer says how far it has come. */
export class GrowingSource implements UploadSource {
  readonly #content = Promise.withResolvers<ObjectContent>();
  readonly #waiting: (() => void)[] = [];
  #bytes = 0;
  #ended = false;

  constructor() {
    // If it is given up, those who wait in `reach` see it first.
    this.#content.promise.catch(() => {});
  }

  advance(bytes: number): void {
    this.#bytes = bytes;
    this.#wake();
  }

  finish(content: ObjectContent): void {
    this.#bytes = content.bytes;
    this.#ended = true;
    this.#content.resolve(content);
    this.#wake();
  }

  /** It will not be published. */
  giveUp(): void {
    this.#ended = true;
    this.#content.reject(new Error('the file was discarded'));
    this.#wake();
  }

  async reach(bytes: number): Promise<number> {
    while (!this.#ended && this.#bytes < bytes)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    if (this.#ended) await this.#content.promise;
    return this.#bytes;
  }

  content(): Promise<ObjectContent> {
    return this.#content.promise;
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
