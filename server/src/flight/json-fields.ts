import { parseTtlMs } from '../model/duration.ts';
import { FrameholdError } from '../model/errors.ts';
import type { ExpectedVersion } from '../model/expected-version.ts';

const jsonRule = 'Send a JSON object, for example {"name": "prices"}.';
/** JSON objects are a few names and numbers. */
const jsonBytesMax = 64 * 1024;

/** Reads a JSON object that a caller sent, field by field; a field that nobody asked for is an error, as it is more likely misspelt than meant for nobody. */
export class JsonFields {
  readonly #what: string;
  readonly #fields: Map<string, unknown>;

  constructor(what: string, bytes: Uint8Array, known: readonly string[]) {
    this.#what = what;
    this.#fields = new Map(Object.entries(parseObject(what, bytes)));
    for (const name of this.#fields.keys()) {
      if (!known.includes(name))
        throw this.#bad(`has no field ${JSON.stringify(name)}`, `Its fields are ${known.join(', ')}.`);
    }
  }

  text(name: string): string | undefined {
    const value = this.#fields.get(name) ?? undefined;
    if (value === undefined || typeof value === 'string') return value;
    throw this.#bad(`takes a string as ${name}`);
  }

  wholeNumber(name: string): number | undefined {
    const value = this.#fields.get(name) ?? undefined;
    if (value === undefined) return value;
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
    throw this.#bad(`takes a whole number from 0 as ${name}`);
  }

  /** The number of a version that must be the newest. */
  expectedVersion(name: string): ExpectedVersion | undefined {
    const version = this.wholeNumber(name);
    return version === undefined ? undefined : { version };
  }

  /** As it came; undefined if it is absent. */
  value(name: string): unknown {
    return this.#fields.get(name);
  }

  has(name: string): boolean {
    return this.#fields.has(name);
  }

  /** Absent is false. */
  flag(name: string): boolean {
    const value = this.#fields.get(name) ?? false;
    if (typeof value === 'boolean') return value;
    throw this.#bad(`takes true or false as ${name}`);
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const value = this.text(name);
    const choice = choices.find((each) => each === value);
    if (value !== undefined && choice === undefined)
      throw this.#bad(`takes ${choices.join(', ')} as ${name}`);
    return choice;
  }

  /** A time to live: seconds, or text with a unit; null (never expires) differs from absent. */
  ttlMs(name: string): number | null | undefined {
    const value = this.#fields.get(name);
    if (value === undefined || value === null) return value;
    if (typeof value === 'number' || typeof value === 'string') return parseTtlMs(String(value));
    throw this.#bad(`takes seconds, or text such as "30d", as ${name}`);
  }

  #bad(detail: string, hint?: string): FrameholdError {
    return new FrameholdError('bad_request', `${this.#what} ${detail}.`, hint === undefined ? {} : { hint });
  }
}

function parseObject(what: string, bytes: Uint8Array): object {
  if (bytes.length > jsonBytesMax)
    throw new FrameholdError(
      'bad_request',
      `${what} has ${bytes.length} bytes; at most ${jsonBytesMax} are read.`,
      { hint: 'Send a shorter one.' },
    );
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    throw new FrameholdError('bad_request', `${what} is not JSON.`, { cause: error, hint: jsonRule });
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new FrameholdError('bad_request', `${what} is not a JSON object.`, { hint: jsonRule });
  return value;
}
