import { setTimeout as sleep } from 'node:timers/promises';
import { FrameholdError } from './errors.ts';

export interface ReadinessOptions {
  /** How long the server says that it stops before it does. */
  readonly delayMs: number;
  /** Rejects if the server cannot serve. */
  readonly check: () => Promise<void>;
}

/** Who asked within this time will ask again: balancers and kubelets ask every few seconds. */
const watchedMs = 60_000;

/** Whether the server can serve, for balancers. Before it stops it says so for a while, so that they send nothing more. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #lastAsked = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** Somebody watches. */
  asked(): void {
    this.#lastAsked = performance.now();
  }

  /** Rejects if nothing more should be sent here. */
  async check(): Promise<void> {
    this.asked();
    if (this.#isStopping) throw new FrameholdError('draining', 'The server is stopping.');
    await this.#options.check();
  }

  /** From now on the answer is no. Resolves when those who watch have had the time to notice; at once if nobody watches. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (performance.now() - this.#lastAsked < watchedMs) await sleep(this.#options.delayMs);
  }
}
