import type { RunningServer } from '../compose/server.ts';
import type { LiveSettings } from '../config/live-settings.ts';
import type { Settings } from '../config/settings.ts';
import { UsageError } from '../config/usage-error.ts';

/** Loads the settings again and says in the log what came of it. Settings that cannot be loaded change nothing. */
export function reload(
  live: LiveSettings,
  load: () => Settings,
  { log, reload: giveOut }: Pick<RunningServer, 'log' | 'reload'>,
): void {
  let loaded: Settings;
  try {
    loaded = load();
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    log.write('error', { event: 'settings-not-reloaded', reason: error.message });
    return;
  }
  const { changed, needRestart } = live.apply(loaded);
  giveOut();
  log.write(needRestart.length > 0 ? 'warn' : 'info', { event: 'settings-reloaded', changed, needRestart });
}
