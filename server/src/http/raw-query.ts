import { FrameholdError } from '../frames/errors.ts';

/** One `key=value` of a query string, with the text exactly as it came. */
export interface RawParameter {
  readonly key: string;
  readonly raw: string;
}

/** The parameters of a URL in order. Fastify's own parser loses the original text and merges repetitions; both matter here. */
export class RawQuery {
  readonly #parameters: readonly RawParameter[];

  constructor(url: string) {
    const mark = url.indexOf('?');
    const text = mark === -1 ? '' : url.slice(mark + 1);
    this.#parameters = text
      .split('&')
      .filter((piece) => piece !== '')
      .map((piece) => {
        const equals = piece.indexOf('=');
        const key = equals === -1 ? piece : piece.slice(0, equals);
        return { key: decodeOrKeep(key), raw: equals === -1 ? '' : piece.slice(equals + 1) };
      });
  }

  has(key: string): boolean {
    return this.#parameters.some((parameter) => parameter.key === key);
  }

  /** The value as it came, still encoded; undefined where the key is absent. bad_request where it is given twice. */
  raw(key: string): string | undefined {
    const given = this.#parameters.filter((parameter) => parameter.key === key);
    if (given.length > 1)
      throw new FrameholdError('bad_request', `${key} is given ${given.length} times.`, {
        hint: `Give ${key} once.`,
      });
    return given[0]?.raw;
  }

  /** The decoded value. */
  value(key: string): string | undefined {
    const raw = this.raw(key);
    return raw === undefined ? undefined : decode(key, raw);
  }
}

function decode(key: string, raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch (cause) {
    throw new FrameholdError('bad_request', `The value of ${key} is not valid percent-encoded UTF-8.`, {
      cause,
      hint: 'Encode a percent sign as %25.',
    });
  }
}

/** For showing what was asked, where a malformed text must not be another error. */
export function decodeOrKeep(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return raw;
  }
}
