import type { VersionSummary } from '../model/version.ts';
import type { PinKind, VersionPin } from '../ports/catalog/pins.ts';

/** What keeps a version, as lists of versions show it. */
export interface ShownPin {
  readonly by: PinKind;
  /** How many of this kind. */
  readonly count: number;
  /** When the last of them ends. */
  readonly until: string;
}

/** To be added to what is shown of a version; nothing if it is not pinned. */
export function shownPins(
  { version }: VersionSummary,
  pins: readonly VersionPin[],
): { readonly pins?: readonly ShownPin[] } {
  const own = pins.filter((pin) => pin.version === version);
  if (own.length === 0) return {};
  return {
    pins: own.map(({ kind, count, until }) => ({ by: kind, count, until: new Date(until).toISOString() })),
  };
}
