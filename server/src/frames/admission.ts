import { FrameholdError } from './errors.ts';

export interface AdmissionOptions {
  /** What errors call them: puts, reads. */
  readonly what: string;
  /** How many may be inside at once. May change, as the other limits. */
  readonly max: number;
  /** How many may wait; the next one is told to come back at once. */
  readonly queueMax: number;
  /** How long one may wait. */
  readonly waitMs: number;
  /** The setting that `max` comes from, where it is not the one of frames. */
  readonly setting?: string;
}

interface Waiting {
  readonly enter: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Lets a bounded number in, and has a bounded number wait for a bounded time, first come, first served. A caller that waits holds
 * nothing yet: its bytes stay in its socket.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #queue = new Set<Waiting>();
  #inside = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  get running(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /** Resolves with the function that leaves again; calling that twice does nothing. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    // Nobody overtakes those that wait already.
    if (this.#inside < this.#options.max && this.#queue.size === 0) this.#inside += 1;
    else await this.#wait(signal);
    let inside = true;
    return () => {
      if (!inside) return;
      inside = false;
      this.#leave();
    };
  }

  #leave(): void {
    this.#inside -= 1;
    this.#letIn();
  }

  #letIn(): void {
    for (const next of this.#queue) {
      if (this.#inside >= this.#options.max) return;
      this.#inside += 1;
      next.enter();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { what, max, queueMax, waitMs, setting = `frames.${what}_max` } = this.#options;
    const state = `${max} ${what} are under way, which is as many as this server takes`;
    if (this.#queue.size >= queueMax) throw busy(`${state}, and ${this.#queue.size} more wait.`, setting);
    return new Promise<void>((resolve, reject) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#queue.delete(waiting);
      };
      const waiting: Waiting = {
        enter: () => {
          end();
          resolve();
        },
        refuse: (error) => {
          end();
          reject(error);
        },
      };
      const onAbort = () => waiting.refuse(signal.reason);
      const timer = setTimeout(
        () => waiting.refuse(busy(`${state}, and none of them ended within ${waitMs} ms.`, setting)),
        waitMs,
      );
      signal.addEventListener('abort', onAbort, { once: true });
      this.#queue.add(waiting);
      // There may be more places than when the first of them began to wait.
      this.#letIn();
    });
  }
}

function busy(detail: string, setting: string): FrameholdError {
  return new FrameholdError('overloaded', detail, {
    hint: `Try again when some have ended, or raise ${setting}.`,
  });
}
