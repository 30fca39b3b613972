import type { IpcMessage } from '../ports/renderer.ts';

/** A batch in memory that is used for another one when the next message has been asked for. */
export class ReceivedBatch implements IpcMessage {
  readonly header: Uint8Array<ArrayBuffer>;
  readonly bodyBytes: number;
  #body: Buffer<ArrayBuffer> | null;

  constructor(header: Uint8Array<ArrayBuffer>, body: Buffer<ArrayBuffer>) {
    this.header = header;
    this.bodyBytes = body.byteLength;
    this.#body = body;
  }

  readBody(target: Uint8Array): Promise<void> {
    target.set(this.peekBody());
    return Promise.resolve();
  }

  peekBody(): Buffer<ArrayBuffer> {
    if (this.#body === null) throw new Error('the body of a batch was read after the next one was asked for');
    return this.#body;
  }

  release(): Buffer<ArrayBuffer> {
    const body = this.peekBody();
    this.#body = null;
    return body;
  }
}
