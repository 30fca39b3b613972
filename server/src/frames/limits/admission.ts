import { FrameholdError } from '../errors.ts';
import { waitingFor } from '../request-time.ts';
import type { TenantPlaces } from './tenant-places.ts';

/** How many the server takes at once. Each value may change at run time. */
export interface ServerLimit {
  /** What errors call them: puts, reads. */
  readonly what: string;
  /** How many may run at once. */
  readonly max: number;
  /** How many may wait. One more is refused at once. */
  readonly queueMax: number;
  /** How long one may wait. */
  readonly waitMs: number;
  /** The setting that `max` comes from; default: `frames.<what>_max`. */
  readonly setting?: string;
}

interface Waiting {
  readonly enter: () => void;
  readonly refuse: (error: unknown) => void;
}

/**
 * Two limits in one step. The tenant's limit refuses. The server's limit lets a limited number wait for a limited time, first come, first
 * served; a caller that waits holds nothing yet, and its bytes stay in its socket.
 */
export class Admission {
  readonly #server: ServerLimit;
  readonly #tenants: TenantPlaces | null;
  readonly #queue = new Set<Waiting>();
  #inside = 0;

  constructor(server: ServerLimit, tenants: TenantPlaces | null = null) {
    this.#server = server;
    this.#tenants = tenants;
  }

  get running(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#queue.size;
  }

  /**
   * Resolves with the function that leaves again; calling that twice does nothing. Throws rate_limited for the tenant's limit, overloaded for
   * the server's. A caller that waits counts for its tenant.
   */
  async admit(tenant: string, signal: AbortSignal): Promise<() => void> {
    const leaveTenant = this.#tenants?.enter(tenant);
    try {
      const leave = await this.enter(signal);
      return () => {
        leave();
        leaveTenant?.();
      };
    } catch (error) {
      leaveTenant?.();
      throw error;
    }
  }

  /** As `admit`, for the server's limit alone: for work within something that its tenant was admitted for already. */
  async enter(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    // Those that already wait come first.
    if (this.#inside < this.#server.max && this.#queue.size === 0) this.#inside += 1;
    else await waitingFor('queue', this.#wait(signal));
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
      if (this.#inside >= this.#server.max) return;
      this.#inside += 1;
      next.enter();
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    const { what, max, queueMax, waitMs, setting = `frames.${what}_max` } = this.#server;
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
