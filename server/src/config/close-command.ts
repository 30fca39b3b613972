import type { Settings } from './settings.ts';

/** What closes an open server: it makes the first token. With the directory, because a token elsewhere would close nothing. */
export function closeCommand(settings: Pick<Settings, 'storage.data_dir'>): string {
  const directory = settings['storage.data_dir'].replaceAll("'", "'\\''");
  return `framehold token create --data-dir '${directory}' --scope admin`;
}
