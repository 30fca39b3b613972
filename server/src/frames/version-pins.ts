import type { VersionSummary } from '../model/version.ts';
import { type PinKind, pinnedForEver, type VersionPin } from '../ports/catalog/pins.ts';

/** What keeps a version, as lists of versions show it. */
export interface ShownPin {
  readonly by: PinKind;
  /** How many of this kind. */
  readonly count: number;
  /** When the last of them ends; null: never by itself. */
  readonly until: string | null;
}

/** To be added to what is shown of a version; nothing if it is not pinned. */
export function shownPins(
  { version }: VersionSummary,
  pins: readonly VersionPin[],
): { readonly pins?: readonly ShownPin[] } {
  const own = pins.filter((pin) => pin.version === version);
  if (own.length === 0) return {};
  return {
    pins: own.map(({ kind, count, until }) => ({
      by: kind,
      count,
      until: pinnedUntil(until),
    })),
  };
}

/** As it is shown; null: for ever. */
export function pinnedUntil(until: number): string | null {
  return until === pinnedForEver ? null : new Date(until).toISOString();
}
