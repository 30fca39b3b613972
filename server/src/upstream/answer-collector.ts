import type { FrameholdError } from '../model/errors.ts';
import type { UpstreamFlow, UpstreamReceiver } from '../ports/upstream.ts';
import { failed } from './exchange.ts';

/** Largest body that becomes text: the columns of a wide table, or an error, which repeats the query. */
const textBytesMax = 4 * 1024 * 1024;

export interface CollectedAnswer {
  readonly status: number;
  readonly contentType: string;
  /** The body, if it did not go to the sink. */
  readonly text: string;
}

export interface AnswerSink {
  readonly begin: () => void;
  /** Whether the body goes to `write`; else it becomes text. */
  readonly isWanted: (status: number, contentType: string) => boolean;
  readonly write: (chunk: Uint8Array) => Promise<void>;
}

/** Receives a whole answer: a wanted body goes to the sink in pieces, one write at a time; any other becomes text. Aborts if a write fails. */
export class AnswerCollector implements UpstreamReceiver {
  readonly collected: Promise<CollectedAnswer>;
  readonly #sink: AnswerSink;
  readonly #stop: () => void;
  readonly #resolve: (answer: CollectedAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #text: Uint8Array[] = [];
  #textBytes = 0;
  #head = { status: 0, contentType: '' };
  #flow: UpstreamFlow | null = null;
  #isWanted = false;
  #writing: Promise<void> = Promise.resolve();
  #writesWaiting = 0;

  constructor(sink: AnswerSink, stop: () => void) {
    this.#sink = sink;
    this.#stop = stop;
    const { promise, resolve, reject } = Promise.withResolvers<CollectedAnswer>();
    this.collected = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    this.#sink.begin();
  }

  head(status: number, contentType = '', flow: UpstreamFlow): void {
    this.#head = { status, contentType };
    this.#flow = flow;
    this.#isWanted = this.#sink.isWanted(status, contentType);
  }

  data(chunk: Uint8Array): void {
    // After a pause an empty piece comes first; pausing for it again would never end.
    if (chunk.length === 0) return;
    if (this.#isWanted) {
      this.#write(chunk);
      return;
    }
    if (this.#textBytes + chunk.length > textBytesMax) {
      // The body may be endless.
      const error = failed(
        `The external database answered with more than ${textBytesMax} bytes and no rows.`,
      );
      this.#reject(error);
      this.#stop();
      return;
    }
    this.#textBytes += chunk.length;
    this.#text.push(chunk);
  }

  end(): void {
    this.#writing.then(
      () => this.#resolve({ ...this.#head, text: Buffer.concat(this.#text).toString('utf8') }),
      this.#reject,
    );
  }

  failed(error: FrameholdError): void {
    this.#reject(error);
  }

  #write(chunk: Uint8Array): void {
    this.#flow?.pause();
    this.#writesWaiting += 1;
    this.#writing = this.#writing
      .then(() => this.#sink.write(chunk))
      .then(() => {
        this.#writesWaiting -= 1;
        if (this.#writesWaiting === 0) this.#flow?.resume();
      });
    this.#writing.catch((error: unknown) => {
      this.#reject(error);
      this.#stop();
    });
  }
}
