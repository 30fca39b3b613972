import type { Caller } from '../../model/caller.ts';
import type { ExpectedVersion } from '../../model/expected-version.ts';
import { formatHandle, type Handle } from '../../model/handle.ts';
import type { Tag } from '../../ports/catalog/tags.ts';
import type { VersionGuard } from '../frames.ts';

/** Names for versions: `trades@gold`. A tag pins the version that it names, until it is moved or removed. */
export interface Tags {
  /** Those of a frame, whichever version of it the handle names: newest version first. */
  list(caller: Caller, handle: Handle, signal: AbortSignal): Promise<readonly Tag[]>;
  /** The version that the handle names gets the tag, which may have named another one. */
  set(
    caller: Caller,
    handle: Handle,
    tag: string,
    conditions: TagConditions,
    signal: AbortSignal,
  ): Promise<Tag>;
  remove(
    caller: Caller,
    name: string,
    tag: string,
    conditions: TagConditions,
    signal: AbortSignal,
  ): Promise<void>;
}

/** What must be true of the tag before. */
export interface TagConditions {
  /** The version that it names. */
  readonly ifVersion?: ExpectedVersion;
  /** In place of `ifVersion`. */
  readonly ifMatch?: VersionGuard;
  /** There must be no such tag. */
  readonly createOnly?: true;
}

/** As lists show it. Readers of a shared frame see its version as they would write it. */
export function tagEntryOf({ tenant, name }: Handle, { tag, version, setAt, setBy }: Tag): object {
  const seen = tenant === undefined ? name : `${tenant}:${name}`;
  return { tag, handle: formatHandle(seen, version), version, setAt: new Date(setAt).toISOString(), setBy };
}
