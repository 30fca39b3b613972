import { sameName } from './tree-values.ts';

/** The names of WITH that a part of a statement sees, and what is written for them. A CTE hides a frame only where it is seen. */
export class CteScope {
  static readonly empty = new CteScope(new Map());
  readonly #written: ReadonlyMap<string, string>;

  private constructor(written: ReadonlyMap<string, string>) {
    this.#written = written;
  }

  with(name: string, written: string): CteScope {
    return new CteScope(new Map(this.#written).set(sameName(name), written));
  }

  find(name: string): string | null {
    return this.#written.get(sameName(name)) ?? null;
  }
}
