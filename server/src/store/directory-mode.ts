import { chmodSync, statSync } from 'node:fs';

/** `group` is for setups in which other programs of the group read the files. */
export type Permissions = 'private' | 'group';

/** What became of the mode of a directory; modes as `chmod` writes them. */
export interface DirectoryMode {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  /** It belongs to another user, so that it stays as it is. */
  readonly isForeign: boolean;
}

/**
 * Closes a directory to those who have no business below it, whatever mode it was made with: the files of all tenants are there. null if it is as
 * it should be.
 */
export function protectDirectory(path: string, permissions: Permissions): DirectoryMode | null {
  const { mode, uid } = statSync(path);
  const before = mode & 0o7777;
  const after = permissions === 'private' ? before & ~0o077 : (before & ~0o027) | 0o050;
  if (after === before) return null;
  const isForeign = uid !== process.getuid?.();
  if (!isForeign) chmodSync(path, after);
  return { path, before: before.toString(8), after: (isForeign ? before : after).toString(8), isForeign };
}
