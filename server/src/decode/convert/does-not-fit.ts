/** A value that the frame's type cannot hold exactly. */
export class DoesNotFit extends Error {
  /** In the array that is converted. */
  readonly row: number;
  readonly value: string;
  readonly why: string;
  /** Names of the fields inside the column, the outermost first. */
  readonly inside: readonly string[];

  constructor(row: number, value: string, why: string, inside: readonly string[] = []) {
    super(`${value} ${why}`);
    this.row = row;
    this.value = value;
    this.why = why;
    this.inside = inside;
  }

  /** The same value, seen from the array around it. */
  at(row: number, name: string | null = null): DoesNotFit {
    return new DoesNotFit(row, this.value, this.why, name === null ? this.inside : [name, ...this.inside]);
  }
}

/** Runs the conversion of an inner array; a value that does not fit is reported with the outer array's row. */
export function within<Result>(
  convert: () => Result,
  rowOf: (row: number) => number,
  name: string | null = null,
): Result {
  try {
    return convert();
  } catch (thrown) {
    throw thrown instanceof DoesNotFit ? thrown.at(rowOf(thrown.row), name) : thrown;
  }
}

/** Converted values take more memory than one piece may: the caller takes fewer rows. */
export class TooMuchAtOnce extends Error {}
