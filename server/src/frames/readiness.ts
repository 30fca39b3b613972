import { setTimeout as sleep } from 'node:timers/promises';
import { FrameholdError } from './errors.ts';

export interface ReadinessOptions {
  /** How long the server reports that it is stopping before it stops. */
  readonly delayMs: number;
  /** Rejects if the server cannot serve. */
  readonly check: () => Promise<void>;
}

/** A balancer that asked within this time will ask again: balancers and kubelets ask every few seconds. */
const watchedMs = 60_000;

/** Whether the server can serve, for load balancers. Before it stops it reports that for a while, so that they send nothing more. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #lastAsked = Number.NEGATIVE_INFINITY;
  #isStopping = false;

  constructor(options: ReadinessOptions) {
    this.#options = options;
  }

  /** A balancer has asked. */
  asked(): void {
    this.#lastAsked = performance.now();
  }

  /** Rejects if nothing more should be sent here. */
  async check(): Promise<void> {
    this.asked();
    if (this.#isStopping) throw new FrameholdError('draining', 'The server is stopping.');
    await this.#options.check();
  }

  /** As `check`, for those who are no balancer. */
  async isReady(): Promise<boolean> {
    if (this.#isStopping) return false;
    return this.#options.check().then(
      () => true,
      () => false,
    );
  }

  /** From now on the server is not ready. Resolves when balancers have had time to notice; at once if none asks. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (performance.now() - this.#lastAsked < watchedMs) await sleep(this.#options.delayMs);
  }
}
