import { tenantOfRequest } from '../base/request-time.ts';
import { WaitingLine, type WaitLimits } from '../base/waiting-line.ts';

/** At most so many at a time; the others wait within limits, the tenants in turn. */
export class Turns {
  readonly #limits: WaitLimits;
  readonly #line = new WaitingLine<void>();
  #free: number;

  constructor(count: number, limits: WaitLimits) {
    this.#free = count;
    this.#limits = limits;
  }

  async take<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    if (this.#free > 0) this.#free--;
    else await this.#line.wait(tenantOfRequest(), () => {}, this.#limits);
    try {
      return await work();
    } finally {
      if (!this.#line.serve()) this.#free++;
    }
  }
}
