/** The Parquet reader or writer could not do its work. The text is the library's own and may be shown to the sender of the bytes. */
export class ParquetFault extends Error {
  /** The library's memory is in an unknown state: end the thread, nothing more can be done in it. */
  readonly fatal: boolean;

  constructor(what: string, fatal: boolean, cause: unknown) {
    super(what, { cause });
    this.name = 'ParquetFault';
    this.fatal = fatal;
  }
}

let trapped = false;

/** A call into the library has trapped in this thread. */
export function hasTrapped(): boolean {
  return trapped;
}

/** What a call into the library threw. A trap is a bug in it, or its memory's end: either way it is not safe to go on. */
export function parquetFault(thrown: unknown): ParquetFault {
  if (thrown instanceof ParquetFault) return thrown;
  if (isTrap(thrown)) {
    trapped = true;
    return new ParquetFault(`the Parquet library gave up (${thrown.message})`, true, thrown);
  }
  return new ParquetFault(thrown instanceof Error ? thrown.message : String(thrown), false, thrown);
}

/** What WebAssembly throws when it cannot go on. */
export function isTrap(thrown: unknown): thrown is Error {
  return thrown instanceof Error && thrown.name === 'RuntimeError';
}
