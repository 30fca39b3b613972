import { setTimeout as sleep } from 'node:timers/promises';
import { FrameholdError } from '../model/errors.ts';

export interface ReadinessOptions {
  /** How long the server reports that it is stopping before it stops. */
  readonly delayMs: number;
  /** Rejects if the server cannot serve. */
  readonly check: () => Promise<void>;
}

/** A balancer that asked within this time will ask again: balancers and kubelets ask every few seconds. */
const watchedMs = 60_000;

/**
 * The answer comes within this time, whatever the catalog does. Balancers and kubelets wait for two seconds; if nothing comes, they take the server for dead and may
 * end the requests that it still serves.
 */
export const readyWithinMs = 1_500;

/** Whether the server can serve, for load balancers. Before it stops it reports that for a while, so that they send nothing more. */
export class Readiness {
  readonly #options: ReadinessOptions;
  #lastAsked = Number.NEGATIVE_INFINITY;
  #isStopping = false;
  /** Those who ask at the same time share an answer. */
  #checking: Promise<void> | null = null;

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
    await this.#checkParts();
  }

  /** As `check`, for those who are no balancer. */
  async isReady(): Promise<boolean> {
    if (this.#isStopping) return false;
    return this.#checkParts().then(
      () => true,
      () => false,
    );
  }

  /** From now on the server is not ready. Resolves when balancers have had time to notice; at once if none asks. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (performance.now() - this.#lastAsked < watchedMs) await sleep(this.#options.delayMs);
  }

  async #checkParts(): Promise<void> {
    this.#checking ??= this.#options.check().finally(() => {
      this.#checking = null;
    });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => late.reject(silent()), readyWithinMs);
    try {
      await Promise.race([this.#checking, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function silent(): FrameholdError {
  return new FrameholdError('unavailable', `The catalog has not answered for ${readyWithinMs} ms.`, {
    hint: 'Running requests continue. If this lasts, check the disk of the catalog, or PostgreSQL.',
  });
}
