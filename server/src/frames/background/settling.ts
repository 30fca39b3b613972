import type { Leases } from '../leases.ts';
import type { Observe } from '../observation.ts';
import type { PartSettling } from '../part-settling.ts';
import type { Catalog } from '../ports/catalog/catalog.ts';

export interface SettlingJobParts {
  readonly catalog: Catalog;
  readonly leases: Leases;
  readonly settling: PartSettling;
  readonly observe: Observe;
  readonly now: () => number;
}

/** A small append is probably merged before: a Parquet file of its own would be thrown away soon, and takes a thread to write. */
const smallPartWaitMs = 60_000;

/** Adds the Parquet form to parts that have none, one after another. May run twice over the same part: the second adds nothing. */
export class Settling {
  readonly #parts: SettlingJobParts;
  #paused = false;

  constructor(parts: SettlingJobParts) {
    this.#parts = parts;
  }

  /** Settles until nothing is left, the disk has no room for more, or the signal aborts. `afterEach` comes between two parts. */
  async run(signal: AbortSignal, afterEach: () => Promise<void>): Promise<'done' | 'no-room'> {
    for (;;) {
      const { catalog, leases, settling, now } = this.#parts;
      // One at a time, and leased in the turn in which it is answered: a further one may be dropped and collected by its turn.
      const [part] = await catalog.unsettled(1, now() - smallPartWaitMs);
      if (part === undefined || signal.aborted) return 'done';
      const release = leases.take(
        part.forms.flatMap((form) => (form.kind === 'arrow' ? form.objects.map(({ key }) => key) : [])),
      );
      try {
        const outcome = await settling.settle(part, { urgent: false }, signal);
        if (outcome.kind === 'no-room') {
          this.#pause(part.id, outcome.reason);
          return 'no-room';
        }
        this.#paused = false;
      } catch (error) {
        if (signal.aborted) return 'done';
        throw error;
      } finally {
        release();
      }
      await afterEach();
    }
  }

  /** Told once: the next tries come every few seconds. */
  #pause(partId: string, reason: string): void {
    if (!this.#paused) this.#parts.observe({ event: 'settle-paused', partId, reason });
    this.#paused = true;
  }
}
