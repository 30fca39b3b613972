import { beatMs } from './protocol.ts';

/**
 * How long the main thread has not counted. It is counted in looks of this thread, not by the clock: if the whole process was stopped, or the machine slept, both
 * threads were silent, and neither is stuck.
 */
export class Heartbeat {
  readonly #beat: Int32Array;
  #counted: number;
  #looks = 0;

  constructor(beat: Int32Array) {
    this.#beat = beat;
    this.#counted = Atomics.load(beat, 0);
    setInterval(() => this.#look(), beatMs);
  }

  get silentMs(): number {
    return this.#looks * beatMs;
  }

  #look(): void {
    const now = Atomics.load(this.#beat, 0);
    this.#looks = now === this.#counted ? this.#looks + 1 : 0;
    this.#counted = now;
  }
}
