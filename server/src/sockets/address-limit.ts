import type { Socket } from 'node:net';

/** Counts open connections by the address they come from. */
export class AddressLimit {
  readonly #max: () => number;
  readonly #open = new Map<string, number>();

  /** `max` may change while connections are open. 0: no limit. */
  constructor(max: () => number) {
    this.#max = max;
  }

  /** False if this connection is one too many; then it is not counted. Connections over a unix socket have no address and always fit. */
  admit(socket: Socket): boolean {
    const address = socket.remoteAddress;
    if (address === undefined) return true;
    const count = this.#open.get(address) ?? 0;
    const max = this.#max();
    if (max > 0 && count >= max) return false;
    this.#open.set(address, count + 1);
    socket.once('close', () => this.#leave(address));
    return true;
  }

  #leave(address: string): void {
    const left = (this.#open.get(address) ?? 1) - 1;
    if (left === 0) this.#open.delete(address);
    else this.#open.set(address, left);
  }
}
