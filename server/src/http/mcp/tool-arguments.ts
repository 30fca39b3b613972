import { isObject } from '../../base/is-object.ts';
import { nearestName } from '../../base/nearest-name.ts';
import { FrameholdError } from '../../model/errors.ts';

/** What a tool says of its arguments. */
interface KnownArguments {
  readonly name: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The arguments of a call, read one by one. bad_request says what is wrong, so that a model can correct itself. */
export class ToolArguments {
  readonly #values: Readonly<Record<string, unknown>>;

  constructor({ name, properties }: KnownArguments, given: unknown = {}) {
    if (!isObject(given)) throw unfit('The arguments are not a JSON object.');
    const known = Object.keys(properties);
    const unknown = Object.keys(given).find((key) => !known.includes(key));
    if (unknown !== undefined) {
      const meant = nearestName(unknown.toLowerCase(), known);
      throw new FrameholdError(
        'bad_request',
        `${name} has no argument ${JSON.stringify(unknown.slice(0, 40))}.`,
        { hint: `${meant === undefined ? '' : `Did you mean ${meant}? `}It takes ${known.join(', ')}.` },
      );
    }
    this.#values = given;
  }

  text(key: string): string | undefined {
    const value = this.#given(key);
    if (value === undefined || typeof value === 'string') return value;
    throw unfit(`${key} is not a string.`);
  }

  requiredText(key: string, example: string): string {
    const value = this.text(key)?.trim();
    if (value !== undefined && value !== '') return value;
    throw new FrameholdError('bad_request', `${key} is missing.`, { hint: `For example ${example}.` });
  }

  flag(key: string): boolean {
    const value = this.#given(key) ?? false;
    if (typeof value === 'boolean') return value;
    throw unfit(`${key} is neither true nor false.`);
  }

  /** From 1 to `max`. */
  count(key: string, max: number, usual: number): number {
    const value = this.#given(key);
    if (value === undefined) return usual;
    if (typeof value === 'bigint' && value >= 1n && value <= BigInt(max)) return Number(value);
    throw unfit(`${key} is not a whole number from 1 to ${max}.`);
  }

  texts(key: string, max: number): readonly string[] | undefined {
    const value = this.#given(key);
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || value.length === 0 || !value.every((each) => typeof each === 'string'))
      throw unfit(`${key} is not a list of strings.`);
    if (value.length > max)
      throw new FrameholdError(
        'bad_request',
        `${key} has ${value.length} entries; at most ${max} are possible.`,
        {
          hint: 'Split the request into several calls.',
        },
      );
    return value;
  }

  /** null counts as left out: some models fill every argument in. */
  #given(key: string): unknown {
    return this.#values[key] ?? undefined;
  }

  /** A list or an object. */
  values(key: string): readonly unknown[] | Readonly<Record<string, unknown>> | undefined {
    const value = this.#given(key);
    if (value === undefined || Array.isArray(value) || isObject(value)) return value;
    throw new FrameholdError('bad_request', `${key} is neither a list nor an object.`, {
      hint: 'Pass a list for $1, $2 …, or an object for $name.',
    });
  }
}

function unfit(detail: string): FrameholdError {
  return new FrameholdError('bad_request', detail, {
    hint: 'tools/list returns the schema of the arguments.',
  });
}
