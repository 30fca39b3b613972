import { waitingFor } from '../../base/request-time.ts';
import { WaitingLine } from '../../base/waiting-line.ts';
import { FrameholdError } from '../errors.ts';
import type { TenantSlots } from './tenant-slots.ts';

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

/**
 * Two limits in one step. The tenant's limit refuses. The server's limit lets a limited number wait for a limited time, the tenants in turn; a
 * caller that waits holds nothing yet, and its bytes stay in its socket.
 */
export class Admission {
  readonly #server: ServerLimit;
  readonly #tenants: TenantSlots | null;
  readonly #line = new WaitingLine<void>();
  #inside = 0;

  constructor(server: ServerLimit, tenants: TenantSlots | null = null) {
    this.#server = server;
    this.#tenants = tenants;
  }

  get running(): number {
    return this.#inside;
  }

  get waiting(): number {
    return this.#line.size;
  }

  /**
   * Resolves with the function that leaves again; calling that twice does nothing. Throws rate_limited for the tenant's limit, overloaded for
   * the server's. A caller that waits counts for its tenant.
   */
  async admit(tenant: string, signal: AbortSignal): Promise<() => void> {
    const leaveTenant = this.#tenants?.enter(tenant);
    try {
      const leave = await this.enter(signal, tenant);
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
  async enter(signal: AbortSignal, tenant = ''): Promise<() => void> {
    signal.throwIfAborted();
    // Those that already wait come first.
    if (this.#inside < this.#server.max && this.#line.size === 0) this.#inside += 1;
    else await waitingFor('queue', this.#wait(tenant, signal));
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
    while (this.#inside < this.#server.max && this.#line.size > 0) {
      this.#inside += 1;
      this.#line.serve();
    }
  }

  #wait(tenant: string, signal: AbortSignal): Promise<void> {
    const { what, max, queueMax, waitMs, setting = `frames.${what}_max` } = this.#server;
    const state = `${max} ${what} are under way, which is as many as this server takes`;
    const limits = {
      max: queueMax,
      waitMs,
      full: () => busy(`${state}, and ${queueMax} more wait.`, setting),
      late: () => busy(`${state}, and none of them ended within ${waitMs} ms.`, setting),
    };
    const entered = this.#line.wait(tenant, () => {}, limits, signal);
    // There may be more slots than when the first of them began to wait.
    this.#letIn();
    return entered;
  }
}

function busy(detail: string, setting: string): FrameholdError {
  return new FrameholdError('overloaded', detail, {
    hint: `Try again when some have ended, or raise ${setting}.`,
  });
}
