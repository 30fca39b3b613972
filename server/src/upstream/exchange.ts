import type { Dispatcher } from 'undici';
import { asFrameholdError, FrameholdError } from '../model/errors.ts';
import type { UpstreamReceiver } from '../ports/upstream.ts';

/** One forwarded request: undici's events on one side, the receiver on the other. */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #receiver: UpstreamReceiver;
  readonly #onEnd: () => void;
  readonly #timer: NodeJS.Timeout;
  readonly #timeoutMs: number;
  #controller: Dispatcher.DispatchController | null = null;
  #ended = false;

  constructor(receiver: UpstreamReceiver, timeoutMs: number, onEnd: () => void) {
    this.#receiver = receiver;
    this.#onEnd = onEnd;
    this.#timeoutMs = timeoutMs;
    this.#timer = setTimeout(() => this.#fail(timedOut(timeoutMs)), timeoutMs);
  }

  /** Nobody waits for the answer any more. The receiver is not called after this. */
  cancel(): void {
    this.#finish(() => this.#controller?.abort(new Error('the caller went away')));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended) controller.abort(new Error('ended before it was sent'));
    else this.#begin();
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (this.#ended || status < 200) return;
    clearTimeout(this.#timer);
    if (status >= 300 && status < 400) {
      this.#fail(
        failed(`The external database answered with a redirect (${status}), which is not followed.`),
      );
      return;
    }
    // It was not asked for, and its name is not passed on: the bytes would mean something else without it. It is never unpacked here.
    const encodings = [headers['content-encoding'] ?? []].flat();
    if (encodings.some((encoding) => encoding.trim().toLowerCase() !== 'identity')) {
      this.#fail(failed('The external database compressed its answer, though it was asked not to.'));
      return;
    }
    const contentType = headers['content-type'];
    this.#receiver.head(status, Array.isArray(contentType) ? contentType[0] : contentType, controller);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (!this.#ended) this.#receiver.data(chunk);
  }

  onResponseEnd(): void {
    this.#finish(() => this.#receiver.end());
  }

  onResponseError(_controller: Dispatcher.DispatchController, cause: Error): void {
    const slow = (cause as NodeJS.ErrnoException).code === 'UND_ERR_BODY_TIMEOUT';
    this.#fail(
      slow
        ? timedOut(this.#timeoutMs)
        : failed('The external database refused, reset or cut off the request.', cause),
    );
  }

  #begin(): void {
    try {
      this.#receiver.begin();
    } catch (error) {
      this.#fail(asFrameholdError(error));
    }
  }

  #fail(error: FrameholdError): void {
    this.#finish(() => {
      this.#receiver.failed(error);
      this.#controller?.abort(error);
    });
  }

  #finish(act: () => void): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#onEnd();
    act();
  }
}

export function failed(detail: string, cause?: Error): FrameholdError {
  return new FrameholdError('tsdb_failed', detail, {
    hint: 'Check that the database is running and reachable.',
    ...(cause ? { cause } : {}),
  });
}

function timedOut(timeoutMs: number): FrameholdError {
  return new FrameholdError('tsdb_timeout', `The external database was silent for ${timeoutMs} ms.`, {
    hint: 'Make the query smaller, or raise tsdb.timeout_ms.',
  });
}
