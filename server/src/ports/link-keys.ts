/** A secret that links are signed with. */
export interface LinkKey {
  /** Named in the link, so that keys can follow each other. null: the only key, which links do not name. */
  readonly id: string | null;
  readonly bytes: Uint8Array;
}

/** The keys that links are valid by. Every process of a server has the same. */
export interface LinkKeys {
  /** New links are signed with it. */
  readonly newest: LinkKey;
  find(id: string | null): LinkKey | null;
}
