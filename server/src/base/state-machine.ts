/** For each state, those that may follow it. */
export type Transitions<State extends string> = Readonly<Record<State, readonly State[]>>;

/** What something is now: one named state instead of flags that may contradict each other. A step that the table does not have is a fault of the program. */
export class StateMachine<State extends string> {
  readonly #transitions: Transitions<State>;
  #state: State;

  constructor(first: State, transitions: Transitions<State>) {
    this.#state = first;
    this.#transitions = transitions;
  }

  get state(): State {
    return this.#state;
  }

  is(...states: readonly State[]): boolean {
    return states.includes(this.#state);
  }

  /** No further step is possible. */
  get isFinal(): boolean {
    return this.#transitions[this.#state].length === 0;
  }

  to(next: State): void {
    if (!this.#transitions[this.#state].includes(next))
      throw new Error(`${next} cannot follow ${this.#state}`);
    this.#state = next;
  }
}
