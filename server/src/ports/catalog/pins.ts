/**
 * What keeps a version although newer ones have taken its place or it has become old: a link in force, a file that is being read, a job that has to
 * prepare the version before it can open it. Dropping or purging the version or its name ends it all the same, and so does the name's expiry.
 */
export interface PinCatalog {
  /** What pins the kept versions of a live name, from `first` to `last`: for each version and kind, how many and until when. Newest version first. */
  pins(
    tenant: string,
    name: string,
    first: number,
    last: number,
    now: number,
  ): Promise<readonly VersionPin[]>;
  /** What a tenant holds only because it is pinned, as the last sweep found it. `framesMax` of the frames are named, those with most bytes first. */
  pinned(tenant: string, framesMax: number): Promise<PinnedHolding>;
  /** Pins a version for a job; frame_gone or frame_not_found if it has ended. Safe to repeat. */
  pinForJob(pin: JobPin, now: number): Promise<void>;
  /** Ends the pin of a job; does nothing if there is none (any more). */
  unpinForJob(id: string, now: number): Promise<void>;
}

/** The last time that there is: until then pins what has no end, a tag. */
export const pinnedForEver = 8_640_000_000_000_000;

export type PinKind = 'link' | 'tag' | 'file' | JobPinKind;
export type JobPinKind = 'statement' | 'file-being-made';

export interface VersionPin {
  readonly version: number;
  readonly kind: PinKind;
  readonly count: number;
  /** Of the last of them. */
  readonly until: number;
}

export interface JobPin {
  readonly id: string;
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
  /** Another version with the same number is not pinned. */
  readonly versionId: string;
  readonly kind: JobPinKind;
  /** It ends by itself then, if the process that made it has died. */
  readonly until: number;
}

export interface PinnedHolding {
  readonly versions: number;
  /** Of the parts that only these versions need. They count towards the quota. */
  readonly bytes: number;
  readonly frames: readonly PinnedFrame[];
}

export interface PinnedFrame {
  readonly name: string;
  readonly versions: number;
  readonly bytes: number;
  /** When the first of its pins may end. */
  readonly until: number;
}
