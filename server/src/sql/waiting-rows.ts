import { FrameholdError } from '../model/errors.ts';

/** A person reads a page, or a program works on a portion. A client that needs longer holds an engine's process for nothing. */
export const rowsWaitMsMax = 5 * 60_000;
/** After this, rows that wait are given up for a statement that waits for their process or their slot. Longer than the pause of a program between two portions. */
export const rowsWaitMsMin = 5_000;

type GiveUp = (why: FrameholdError) => void;

/**
 * Rows that wait between two portions, as those of a cursor. Each keeps a process of an engine, so all tenants together leave one for other statements, and a
 * tenant has half of them at most. If more wait, those that have waited longest go: of the same tenant, else of the one that has most.
 */
export class WaitingRows {
  readonly #processesMax: () => number;
  /** Of each tenant, longest first. */
  readonly #tenants = new Map<string, Set<GiveUp>>();
  #count = 0;

  /** How many processes there are. */
  constructor(processesMax: () => number) {
    this.#processesMax = processesMax;
  }

  /** Returns the function that ends the wait; calling it twice does nothing. */
  begin(tenant: string, giveUp: GiveUp): () => void {
    const tenantMax = Math.max(1, Math.floor(this.#processesMax() / 2));
    const allMax = Math.max(1, this.#processesMax() - 1);
    const own = this.#tenants.get(tenant) ?? new Set();
    if (own.size >= tenantMax) this.#giveUpLongest(own, `${tenantMax} of the tenant`);
    else if (this.#count >= allMax) this.#giveUpLongest(this.#most(), `${allMax} of all tenants`);
    this.#tenants.set(tenant, own.add(giveUp));
    this.#count += 1;
    return () => this.#end(tenant, own, giveUp);
  }

  #end(tenant: string, own: Set<GiveUp>, giveUp: GiveUp): void {
    if (!own.delete(giveUp)) return;
    this.#count -= 1;
    if (own.size === 0) this.#tenants.delete(tenant);
  }

  #most(): Set<GiveUp> {
    return [...this.#tenants.values()].reduce((most, each) => (each.size > most.size ? each : most));
  }

  /** It ends its wait itself. */
  #giveUpLongest(waiting: ReadonlySet<GiveUp>, many: string): void {
    for (const giveUp of waiting) {
      giveUp(
        closed(
          `Rows that wait for their reader keep an engine process: at most ${many} may wait, and others began to wait after these.`,
          'Take all rows of a statement before the next, or read with fewer cursors at a time. The limits follow sql.processes_max.',
        ),
      );
      return;
    }
  }
}

export function waitedTooLong(): FrameholdError {
  return closed(
    `The rows waited for more than ${rowsWaitMsMax / 60_000} minutes for their reader.`,
    'Run the statement again, and take the next portion sooner; or keep its rows as a frame, and read that.',
  );
}

export function wantedElsewhere(): FrameholdError {
  return closed(
    `The rows waited for more than ${rowsWaitMsMin / 1_000} seconds for their reader, and another statement needed their engine process, or their slot of the tenant.`,
    'Run the statement again, and take the next portion sooner. More may run at once with sql.processes_max and tenant.queries_max.',
  );
}

function closed(why: string, hint: string): FrameholdError {
  return new FrameholdError('query_cancelled', `${why} The statement was closed.`, { hint });
}
