import type { Settings } from '../config/settings.ts';

/** Sets the permissions of every file and directory that this process and its children create. Call it before the first. */
export function restrictNewFiles(settings: Settings): void {
  process.umask(settings['storage.permissions'] === 'group' ? 0o027 : 0o077);
}
