/** A signed link: its holder reads this one version until it expires. */
export interface FrameLink {
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
  /** How often the name had been undropped: a link is not valid after that. Absent: never. */
  readonly life?: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
}

export interface Links {
  /** The text of the link. It is a credential: its holder can read. */
  sign(link: FrameLink): string;
}
