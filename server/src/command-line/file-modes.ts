import type { Settings } from '../config/settings.ts';

/** For every file and directory that this process and its children make. Before the first of them. */
export function restrictNewFiles(settings: Settings): void {
  process.umask(settings['storage.permissions'] === 'group' ? 0o027 : 0o077);
}
