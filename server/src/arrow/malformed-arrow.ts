/** Bytes that are not the Arrow they claim to be. The message says what is wrong and where, and may be shown to the sender. */
export class MalformedArrow extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'MalformedArrow';
  }
}

/** The same failure with the place in front, e.g. `column "a": offsets run backwards`. Other throwables stay as they are. */
export function at(place: string, thrown: unknown): unknown {
  return thrown instanceof MalformedArrow ? new MalformedArrow(`${place}: ${thrown.message}`) : thrown;
}
