import { UsageError } from './usage-error.ts';

/** The flags of a call, by name. */
export class Options {
  readonly #given: ReadonlyMap<string, readonly string[]>;

  constructor(given: ReadonlyMap<string, readonly string[]>) {
    this.#given = given;
  }

  has(name: string): boolean {
    return this.#given.has(name);
  }

  text(name: string): string | undefined {
    return this.#given.get(name)?.at(-1);
  }

  all(name: string): readonly string[] {
    return this.#given.get(name) ?? [];
  }

  /** A whole number from 0. */
  count(name: string): number | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const value = Number(text);
    if (/^[0-9]{1,15}$/.test(text) && Number.isSafeInteger(value)) return value;
    throw new UsageError(
      `--${name} ${JSON.stringify(text)} is not a whole number.`,
      `Example: --${name} 10.`,
    );
  }

  /** Names with commas between them. */
  list(name: string): readonly string[] | undefined {
    return this.text(name)?.split(',');
  }
}
