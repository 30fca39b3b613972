/** A copy of an object on this machine. */
export interface CachedObject {
  readonly key: string;
  readonly path: string;
  readonly bytes: number;
  /** Compared with the hash of its object since this process began, or since it became suspect. */
  isVerified: boolean;
  /** It has just come, and those who wait for it have not had their turn: it stays. */
  isAwaited: boolean;
  /** How many have it open. */
  pins: number;
  /** It is not in the cache any more, and goes when nobody has it open. */
  isDropped: boolean;
}
