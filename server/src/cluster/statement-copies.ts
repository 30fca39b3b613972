import type { PreparedStatement } from '../frames/ports/prepared-statements.ts';

/** A connection has a few statements in use; one that is not here is read again. */
const bytesMax = 16 * 1024 * 1024;
const countMax = 1_000;

interface Copy {
  readonly statement: PreparedStatement;
  readonly change: number;
  readonly bytes: number;
}

/** Prepared statements as this node has last seen them. Those that were not used for the longest time go first. */
export class StatementCopies {
  readonly #copies = new Map<string, Copy>();
  #bytes = 0;

  of(handle: string): Copy | undefined {
    const copy = this.#copies.get(handle);
    if (copy === undefined) return undefined;
    this.#copies.delete(handle);
    this.#copies.set(handle, copy);
    return copy;
  }

  keep(statement: PreparedStatement, change: number, bytes: number): void {
    this.drop(statement.handle);
    this.#copies.set(statement.handle, { statement, change, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#copies.keys()) {
      if (this.#copies.size <= countMax && this.#bytes <= bytesMax) return;
      this.drop(oldest);
    }
  }

  drop(handle: string): void {
    this.#bytes -= this.#copies.get(handle)?.bytes ?? 0;
    this.#copies.delete(handle);
  }
}
