/** A signed link: its holder reads this one version until it expires or is revoked. */
export interface FrameLink {
  readonly tenant: string;
  readonly name: string;
  readonly version: number;
  /** How often the name had been undropped: a link is not valid after that. Absent: never. */
  readonly incarnation?: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Under which the catalog has it; absent in links that were made before they could be revoked. */
  readonly id?: string;
}

export interface Links {
  /** The text of the link. It is a credential: its holder can read. */
  sign(link: FrameLink): string;
  /** After the catalog has recorded that it was revoked: requests of this process that wait with the link are refused when their turn comes. */
  revoked(id: string): void;
}
