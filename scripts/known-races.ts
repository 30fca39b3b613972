/** A test that sometimes fails although what it tests is right. */
export interface KnownRace {
  /** The test file, from the repository's root. */
  readonly file: string;
  readonly title: string;
  /** The day on which it was entered: YYYY-MM-DD. */
  readonly since: string;
  /** Why it fails, and why it is not mended yet. */
  readonly cause: string;
}

/** A longer list would mean that failures are no longer looked at. */
export const knownRacesMax = 5;

/** Only these tests may be repeated. An entry goes as soon as its cause is mended. */
export const knownRaces: readonly KnownRace[] = [];
