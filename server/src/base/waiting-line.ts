import { FairQueue } from './fair-queue.ts';

export interface WaitLimits {
  /** How many may wait. */
  readonly max: number;
  /** How long each may wait. Default: as long as it takes. */
  readonly waitMs?: number;
  /** For one that is refused because too many wait. */
  readonly full: () => Error;
  /** For one that has waited too long. */
  readonly late?: () => Error;
}

interface Waiting<Turn> {
  readonly enter: (turn: Turn) => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Callers that wait for a turn, within limits. Tenants are served in turn, so that one that floods the line delays the others by one of its own turns only; and
 * if the line is full, the tenant that has most in it makes way.
 */
export class WaitingLine<Turn> {
  readonly #queue = new FairQueue<Waiting<Turn>>();

  get size(): number {
    return this.#queue.size;
  }

  /** `begin` is called with the turn as soon as it comes, within `serve`; what it gives is the result. Throws if too many wait. */
  wait<Result>(
    tenant: string,
    begin: (turn: Turn) => Result,
    { max, waitMs, full, late = full }: WaitLimits,
    signal?: AbortSignal,
  ): Promise<Result> {
    if (this.#queue.size >= max) {
      const other = this.#queue.displace(tenant);
      if (other === undefined) throw full();
      other.refuse(full());
    }
    return new Promise<Result>((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        this.#queue.delete(tenant, waiting);
      };
      const waiting: Waiting<Turn> = {
        enter: (turn) => {
          leave();
          resolve(begin(turn));
        },
        refuse: (error) => {
          leave();
          reject(error);
        },
      };
      const onAbort = () => waiting.refuse(signal?.reason);
      const timer = waitMs === undefined ? undefined : setTimeout(() => waiting.refuse(late()), waitMs);
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#queue.add(tenant, waiting);
    });
  }

  /** Gives the turn to the next one. False if nobody waits. */
  serve(turn: Turn): boolean {
    const next = this.#queue.take();
    next?.enter(turn);
    return next !== undefined;
  }

  refuseAll(error: unknown): void {
    for (let next = this.#queue.take(); next !== undefined; next = this.#queue.take()) next.refuse(error);
  }
}
