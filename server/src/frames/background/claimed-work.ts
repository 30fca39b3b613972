import type { Catalog } from '../ports/catalog/catalog.ts';
import type { ClaimOutcome } from '../ports/catalog/claims.ts';
import type { Clock } from '../ports/clock.ts';

/** A fault of the machine may pass; one of the stored bytes does not. Work that was begun this often without success is given up. */
export const triesMax = 3;
/** Longer than work on one part takes. If the process dies, another one, or itself after a restart, takes the work on. */
const claimMs = 3_600_000;

/** Claims of this process on work that any process can do. */
export class ClaimedWork {
  readonly #catalog: Pick<Catalog, 'claim' | 'endClaim' | 'endClaims'>;
  readonly #owner: string;
  readonly #now: Clock;

  constructor(catalog: Pick<Catalog, 'claim' | 'endClaim' | 'endClaims'>, owner: string, now: Clock) {
    this.#catalog = catalog;
    this.#owner = owner;
    this.#now = now;
  }

  /** How often the work was begun, this time included; null if another process does it. Then `end` says how it ended. */
  begin(work: string): Promise<number | null> {
    const now = this.#now();
    return this.#catalog.claim(work, this.#owner, now + claimMs, now);
  }

  end(work: string, outcome: ClaimOutcome): Promise<void> {
    return this.#catalog.endClaim(work, this.#owner, outcome, this.#now());
  }

  /** Runs a job that need not run twice at once; does nothing if another process runs it. */
  async once(work: string, job: () => Promise<void>): Promise<void> {
    if ((await this.begin(work)) === null) return;
    try {
      await job();
    } finally {
      await this.end(work, 'done');
    }
  }

  /** What this process had claimed before it was started again. */
  endEarlier(): Promise<void> {
    return this.#catalog.endClaims(this.#owner, this.#now());
  }
}
