import type { TextPlace } from '../../../model/errors.ts';
import { textPlace } from '../../../model/text-place.ts';

/** A part of a text, and what is run in its place. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** From the end, so that the places before stay where they are. */
export function replaced(text: string, replacements: readonly Replacement[]): string {
  return [...replacements]
    .sort((a, b) => b.start - a.start)
    .reduce((sql, { start, end, text: by }) => `${sql.slice(0, start)}${by}${sql.slice(end)}`, text);
}

/** Where something begins in the text, out of its place in bytes. */
export function placeOf(sql: string, location: number): number {
  return Buffer.from(sql).subarray(0, location).toString().length;
}

/**
 * The engine puts one byte in the place of each of these, but not in quotes, before it counts. Then its places are not those of the text, and
 * an error without a place is better than one with a wrong place.
 */
const unicodeSpaces = /[\u00a0\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]/;

/** The text that a caller has sent, of which the engine sees a part: without what is before `start`, and with some of it replaced. */
export class WrittenPlaces {
  readonly #written: string;
  readonly #start: number;
  readonly #query: string;
  readonly #replacements: readonly Replacement[];

  constructor(written: string, start: number, query: string, replacements: readonly Replacement[] = []) {
    this.#written = written;
    this.#start = start;
    this.#query = query;
    this.#replacements = [...replacements].sort((a, b) => a.start - b.start);
  }

  /** `location` is in bytes of the query that the engine was given, as it counts them. null if it cannot be known. */
  at(location: number): TextPlace | null {
    if (!Number.isSafeInteger(location) || location < 0 || unicodeSpaces.test(this.#query)) return null;
    const position = this.#start + this.#unreplaced(placeOf(this.#query, location));
    return position > this.#written.length ? null : textPlace(this.#written, position);
  }

  /** What is within a replacement is where the replaced part began. */
  #unreplaced(position: number): number {
    let longer = 0;
    for (const { start, end, text } of this.#replacements) {
      const begins = start + longer;
      if (position < begins) break;
      if (position < begins + text.length) return start;
      longer += text.length - (end - start);
    }
    return position - longer;
  }
}
