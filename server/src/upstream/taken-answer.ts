import type { FrameholdError } from '../frames/errors.ts';
import type { UpstreamFlow, UpstreamReceiver } from '../frames/ports/upstream.ts';
import { failed } from './exchange.ts';

/** Of an answer that is read whole: the columns of a wide table, or an error, which repeats the query. */
const textBytesMax = 4 * 1024 * 1024;

export interface TakenAnswer {
  readonly status: number;
  readonly contentType: string;
  /** What was not given to the writer. */
  readonly text: string;
}

export interface AnswerTaking {
  readonly begin: () => void;
  /** Whether the body goes to `write`; else it becomes text. */
  readonly isWanted: (status: number, contentType: string) => boolean;
  readonly write: (chunk: Uint8Array) => Promise<void>;
}

/** Takes a whole answer: the body that is wanted piece by piece, one write at a time, any other as text. Aborts where a write fails. */
export class AnswerTaker implements UpstreamReceiver {
  readonly taken: Promise<TakenAnswer>;
  readonly #taking: AnswerTaking;
  readonly #stop: (reason: unknown) => void;
  readonly #resolve: (answer: TakenAnswer) => void;
  readonly #reject: (error: unknown) => void;
  readonly #text: Uint8Array[] = [];
  #textBytes = 0;
  #head = { status: 0, contentType: '' };
  #flow: UpstreamFlow | null = null;
  #isWanted = false;
  #writing: Promise<void> = Promise.resolve();
  #writesWaiting = 0;

  constructor(taking: AnswerTaking, stop: (reason: unknown) => void) {
    this.#taking = taking;
    this.#stop = stop;
    const { promise, resolve, reject } = Promise.withResolvers<TakenAnswer>();
    this.taken = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  begin(): void {
    this.#taking.begin();
  }

  head(status: number, contentType = '', flow: UpstreamFlow): void {
    this.#head = { status, contentType };
    this.#flow = flow;
    this.#isWanted = this.#taking.isWanted(status, contentType);
  }

  data(chunk: Uint8Array): void {
    // Going on after a pause gives an empty piece first; pausing for that would never end.
    if (chunk.length === 0) return;
    if (this.#isWanted) {
      this.#write(chunk);
      return;
    }
    if (this.#textBytes + chunk.length > textBytesMax) {
      // Reading on would never end where the body does not.
      const error = failed(
        `The external database answered with more than ${textBytesMax} bytes and no rows.`,
      );
      this.#reject(error);
      this.#stop(error);
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
      .then(() => this.#taking.write(chunk))
      .then(() => {
        this.#writesWaiting -= 1;
        if (this.#writesWaiting === 0) this.#flow?.resume();
      });
    this.#writing.catch((error: unknown) => {
      this.#reject(error);
      this.#stop(error);
    });
  }
}
