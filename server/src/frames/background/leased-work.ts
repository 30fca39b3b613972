import type { Clock } from '../../model/clock.ts';
import type { Catalog } from '../../ports/catalog/catalog.ts';
import type { LeaseOutcome } from '../../ports/catalog/leases.ts';

/** A fault of the machine may pass; one of the stored bytes does not. Work that was begun this often without success is given up. */
const triesMax = 3;
/** Longer than work on one part takes. If the process dies, another one, or itself after a restart, takes the work on. */
const leaseMs = 3_600_000;

/** Work on one part, or on a run of parts, that may fail. */
export interface LeasedJob {
  readonly work: string;
  /** Does the work; says what becomes of the lease. */
  run(): Promise<LeaseOutcome>;
  /** What a failure means for the lease. If it is `failed` too often, the work is given up. */
  judge(error: unknown): Promise<LeaseOutcome>;
  /** Records that the work is not to be offered again. */
  giveUp(reason: string): Promise<void>;
}

export interface LeasedTry {
  readonly lease: LeaseOutcome;
  /** What `run` has thrown. */
  readonly error?: unknown;
}

/** Leases of this process on work that any process can do. */
export class LeasedWork {
  readonly #catalog: Pick<Catalog, 'lease' | 'endLease' | 'endLeases'>;
  readonly #owner: string;
  readonly #now: Clock;
  /** By work, since when by the monotonic clock. */
  readonly #held = new Map<string, number>();

  constructor(catalog: Pick<Catalog, 'lease' | 'endLease' | 'endLeases'>, owner: string, now: Clock) {
    this.#catalog = catalog;
    this.#owner = owner;
    this.#now = now;
  }

  /** Does the work once, or gives it up if it was begun too often; null if another process does it. */
  async attempt(job: LeasedJob): Promise<LeasedTry | null> {
    const tries = await this.begin(job.work);
    if (tries === null) return null;
    let lease: LeaseOutcome = 'untried';
    try {
      if (tries > triesMax) {
        // No process lived to say how it failed.
        await job.giveUp(`failed ${triesMax} times: the server ended each time`);
        lease = 'done';
        return { lease };
      }
      try {
        lease = await job.run();
        return { lease };
      } catch (error) {
        lease = await job.judge(error);
        if (lease === 'failed' && tries === triesMax) {
          const message = error instanceof Error ? error.message : String(error);
          await job.giveUp(`failed ${tries} times: ${message}`);
          lease = 'done';
        }
        return { lease, error };
      }
    } finally {
      await this.end(job.work, lease);
    }
  }

  /** How often the work was begun, this time included; null if another process does it. Then `end` says how it ended. */
  async begin(work: string): Promise<number | null> {
    const now = this.#now();
    const tries = await this.#catalog.lease(work, this.#owner, now + leaseMs, now);
    if (tries !== null) this.#held.set(work, performance.now());
    return tries;
  }

  async end(work: string, outcome: LeaseOutcome): Promise<void> {
    this.#held.delete(work);
    await this.#catalog.endLease(work, this.#owner, outcome, this.#now());
  }

  /** For each kind of work that this process does now, how long it has had the oldest lease. */
  held(): ReadonlyMap<string, number> {
    const ages = new Map<string, number>();
    const now = performance.now();
    for (const [work, since] of this.#held) {
      const job = work.split('/', 1)[0] ?? work;
      ages.set(job, Math.max(ages.get(job) ?? 0, now - since));
    }
    return ages;
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

  /** What this process had leased before it was started again. */
  endEarlier(): Promise<void> {
    return this.#catalog.endLeases(this.#owner, this.#now());
  }
}
