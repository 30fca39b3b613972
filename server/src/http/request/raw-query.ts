import type { IncomingMessage } from 'node:http';
import { FrameholdError } from '../../model/errors.ts';

/** The routes know some twenty; a form or a tracker may add its own. A URL of 64 KiB could hold 32,768. */
const parametersMax = 100;

const queryKey = Symbol('the parameters of this request');

/** The parameters of a request. Parsed once. */
export function queryOf({ raw }: { readonly raw: IncomingMessage }): RawQuery {
  const known = raw as IncomingMessage & { [queryKey]?: RawQuery };
  known[queryKey] ??= new RawQuery(raw.url ?? '');
  return known[queryKey];
}

/**
 * The parameters of a URL, with their text exactly as it came. Fastify's own parser loses the original text and merges repetitions; both
 * matter here.
 */
export class RawQuery {
  /** Every value of a key, still encoded, in the order of the URL. */
  readonly #values = new Map<string, string[]>();

  /** bad_request for more parameters than any route takes. */
  constructor(url: string) {
    const mark = url.indexOf('?');
    if (mark === -1) return;
    // One more than is allowed, so that an excess is noticed without parsing the rest.
    const pieces = url.slice(mark + 1).split('&', parametersMax + 1);
    if (pieces.length > parametersMax)
      throw new FrameholdError('bad_request', `The URL has more than ${parametersMax} parameters.`, {
        hint: 'Remove the parameters that this route does not have.',
      });
    for (const piece of pieces) if (piece !== '') this.#add(piece);
  }

  /** In the order of the URL, each once. */
  get keys(): string[] {
    return [...this.#values.keys()];
  }

  has(key: string): boolean {
    return this.#values.has(key);
  }

  /** The value as it came, still encoded; undefined if the key is absent. bad_request if it is given twice. */
  raw(key: string): string | undefined {
    const values = this.#values.get(key);
    if (values === undefined) return undefined;
    if (values.length > 1)
      throw new FrameholdError('bad_request', `${key} is given ${values.length} times.`, {
        hint: `Give ${key} once.`,
      });
    return values[0];
  }

  /** The decoded value. */
  value(key: string): string | undefined {
    const raw = this.raw(key);
    return raw === undefined ? undefined : decode(key, raw);
  }

  #add(piece: string): void {
    const equals = piece.indexOf('=');
    const key = decodeOrKeep(equals === -1 ? piece : piece.slice(0, equals));
    const value = equals === -1 ? '' : piece.slice(equals + 1);
    const values = this.#values.get(key);
    if (values === undefined) this.#values.set(key, [value]);
    else values.push(value);
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

/** For displaying what was requested: malformed text must not become another error. */
export function decodeOrKeep(raw: string): string {
  try {
    return decodeURIComponent(raw.replaceAll('+', ' '));
  } catch {
    return raw;
  }
}
