import { asFrameholdError } from '../errors.ts';
import type { Observe } from '../observation.ts';
import type { PartSettling, SettleOutcome } from '../parts/part-settling.ts';
import { type ClaimOutcome, partWork } from '../ports/catalog/claims.ts';
import type { MaintenanceCatalog } from '../ports/catalog/maintenance.ts';
import type { Clock } from '../ports/clock.ts';
import type { PartRecord } from '../version.ts';
import { type ClaimedWork, triesMax } from './claimed-work.ts';

export interface SettlingDependencies {
  readonly catalog: MaintenanceCatalog;
  readonly claims: ClaimedWork;
  readonly settling: PartSettling;
  readonly observe: Observe;
  readonly now: Clock;
}

/** A small append will probably be merged soon: its own Parquet file would be thrown away, and takes a thread to write. */
const smallPartWaitMs = 60_000;

/** Adds the Parquet form to parts that have none, one after another. May run twice over the same part: the second adds nothing. */
export class Settling {
  readonly #dependencies: SettlingDependencies;
  #paused = false;

  constructor(dependencies: SettlingDependencies) {
    this.#dependencies = dependencies;
  }

  /** Settles until nothing is left, the disk has no room for more, or the signal aborts. `afterEach` comes between two parts. */
  async run(signal: AbortSignal, afterEach: () => Promise<void>): Promise<'done' | 'no-room'> {
    for (;;) {
      const { catalog, claims, now } = this.#dependencies;
      // One at a time: the next one may have been dropped and collected meanwhile.
      const [part] = await catalog.unsettled(1, now() - smallPartWaitMs, now());
      if (part === undefined || signal.aborted) return 'done';
      const work = partWork.settle(part.id);
      const tries = await claims.begin(work);
      if (tries === null) continue;
      let claim: ClaimOutcome = 'untried';
      try {
        const outcome = await this.#settle(part, tries, signal);
        claim = await this.#claimAfter(part, tries, outcome);
        if (outcome.kind === 'no-room') {
          this.#pause(part.id, outcome.reason);
          return 'no-room';
        }
        this.#paused = false;
      } catch (error) {
        if (signal.aborted) return 'done';
        throw error;
      } finally {
        await claims.end(work, claim);
      }
      await afterEach();
    }
  }

  #settle(part: PartRecord, tries: number, signal: AbortSignal): Promise<SettleOutcome> {
    if (tries <= triesMax) return this.#dependencies.settling.settle(part, { urgent: false }, signal);
    const error = new Error('the server ended each time');
    return Promise.resolve({ kind: 'failed', error });
  }

  /** What becomes of the claim; work that has failed too often is not offered again. */
  async #claimAfter(part: PartRecord, tries: number, outcome: SettleOutcome): Promise<ClaimOutcome> {
    if (outcome.kind === 'no-room' || outcome.kind === 'overtaken') return 'untried';
    if (outcome.kind !== 'failed') return 'done';
    const { kind } = asFrameholdError(outcome.error);
    // Too many wait: nothing was tried.
    if (kind === 'overloaded' || kind === 'draining') return 'untried';
    if (tries < triesMax) return 'failed';
    const message = outcome.error instanceof Error ? outcome.error.message : String(outcome.error);
    const reason = `failed ${Math.min(tries, triesMax)} times: ${message}`;
    await this.#dependencies.catalog.refuseSettling(part.id, reason);
    return 'done';
  }

  /** Reported once: the next tries come every few seconds. */
  #pause(partId: string, reason: string): void {
    if (!this.#paused) this.#dependencies.observe({ event: 'settle-paused', partId, reason });
    this.#paused = true;
  }
}
