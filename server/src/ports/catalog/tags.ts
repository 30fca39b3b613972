import type { ExpectedVersion } from '../../model/expected-version.ts';

/** Names for versions. A tag pins the version that it names, and can be moved to another one. It ends with its version, and comes back with it. */
export interface TagCatalog {
  /** The version that a tag of a live name names. frame_not_found, frame_gone; tag_not_found. */
  taggedVersion(tenant: string, name: string, tag: string, now: number): Promise<ExpectedVersion>;
  /** The tags of a live name, by version, newest first; those of one version in order. They are few: `setTag` refuses more. */
  tags(tenant: string, name: string, now: number): Promise<readonly Tag[]>;
  /** The tag names this kept version from now on. version_mismatch if `ifVersion` is given and it names another one; bad_request if there are too many. Safe to repeat. */
  setTag(change: TagChange): Promise<Tag>;
  /** Ends a tag. tag_not_found if there is none; version_mismatch. */
  removeTag(removal: TagRemoval): Promise<void>;
}

export interface Tag {
  readonly tag: string;
  readonly version: number;
  readonly versionId: string;
  readonly setAt: number;
  /** What logs call the caller who set it. */
  readonly setBy: string;
}

export interface TagRemoval {
  readonly tenant: string;
  readonly name: string;
  readonly tag: string;
  /** What the tag must name; null: anything. */
  readonly ifVersion: ExpectedVersion | null;
  readonly now: number;
}

export interface TagChange extends Omit<TagRemoval, 'ifVersion'> {
  /** What the tag must name before; `none`: it must not exist; null: anything. */
  readonly ifVersion: ExpectedVersion | 'none' | null;
  readonly version: number;
  /** Another version of the same number does not get it. */
  readonly versionId: string;
  readonly setBy: string;
}
