/** Names in one log line: a statement may read a thousand frames, and the line must stay short. */
const framesMax = 16;

/** What a request has used so far, for its line in the log: frames by name, and its SQL statement by id. Never a text or a row. */
export class Used {
  readonly #frames: string[] = [];
  #framesMore = 0;
  #statement: string | null = null;
  readonly #whole: Used | undefined;

  /** `whole`: the request that this belongs to. Its line names the same frames. */
  constructor(whole?: Used) {
    this.#whole = whole;
  }

  /** As the caller writes it, without a version. */
  frame(name: string): void {
    this.#whole?.frame(name);
    if (this.#frames.includes(name)) return;
    if (this.#frames.length < framesMax) this.#frames.push(name);
    else this.#framesMore += 1;
  }

  /** A call that runs several has a line for each of them; its own line names the last. */
  statement(id: string): void {
    this.#whole?.statement(id);
    this.#statement = id;
  }

  /** Without empty members: most requests have one frame and no statement. */
  get line(): UsedLine {
    return {
      ...(this.#frames.length === 0 ? {} : { frames: this.#frames }),
      ...(this.#framesMore === 0 ? {} : { framesMore: this.#framesMore }),
      ...(this.#statement === null ? {} : { statement: this.#statement }),
    };
  }
}

/** A type, not an interface: it becomes part of a log line. */
export type UsedLine = {
  readonly frames?: readonly string[];
  /** How many more frames were used that are not in the list. */
  readonly framesMore?: number;
  readonly statement?: string;
};
