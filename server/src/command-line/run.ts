import { keepCompiledCode } from '../base/compile-cache.ts';
import type { RunningServer } from '../compose/server.ts';
import { LiveSettings } from '../config/live-settings.ts';
import { loadSettings } from '../config/load.ts';
import type { Settings } from '../config/settings.ts';
import { showAsJson, showAsToml } from '../config/show.ts';
import { UsageError } from '../config/usage-error.ts';
import { productVersion } from '../config/version.ts';
import { describeError } from '../telemetry/describe-error.ts';
import { Log } from '../telemetry/log.ts';
import { runAcceptRestore } from './accept-restore.ts';
import { type Arguments, parseArguments } from './arguments.ts';
import { runBackup, runRestore } from './backup.ts';
import type { CommandWords } from './command-words.ts';
import { restrictNewFiles } from './file-modes.ts';
import { helpText } from './help.ts';
import { runMigrate } from './migrate.ts';
import { reload } from './reload.ts';
import { serve } from './serve.ts';
import { watchSignals } from './signals.ts';
import { describeStartFailure } from './start-failure.ts';
import { runTenant } from './tenant.ts';
import { runToken } from './token.ts';
import { runVerify } from './verify.ts';

/** The command `framehold`. Returns the exit code: 0 as asked, 1 failed, 2 asked wrongly. */
export async function run(argv: readonly string[]): Promise<number> {
  try {
    return await obey(parseArguments(argv));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    process.stderr.write(`framehold: ${error.message}\n`);
    return 2;
  }
}

async function obey({ command, flags, configFile, readyFile, json, words }: Arguments): Promise<number> {
  if (command === 'help') return print(helpText());
  if (command === 'version') return print(`framehold ${productVersion()}\n`);
  const sources = { flags, configFile, environment: process.env, directory: process.cwd() };
  const loaded = loadSettings(sources);
  if (command === 'config') return print(json ? showAsJson(loaded) : showAsToml(loaded));

  const { settings } = loaded;
  restrictNewFiles(settings);
  const printError = (text: string) => void process.stderr.write(text);
  if (command === 'verify') {
    const { composeVerify } = await import('../commands/verify.ts');
    return runVerify({ settings, json, verify: composeVerify, print, printError });
  }
  if (words !== undefined) {
    try {
      return await runWords(command, words, settings, json);
    } catch (error) {
      const reason = describeStartFailure(error, settings);
      if (reason === null) throw error;
      printError(`framehold: ${reason}\n`);
      return 1;
    }
  }
  endOnFaults(settings);
  // A terminal that was closed takes no text any more. Nobody is there to read it.
  process.stderr.on('error', () => {});
  using signals = watchSignals();
  // Loaded only now: the other commands need none of it.
  const { compose } = await import('../compose/server.ts');
  const live = new LiveSettings(settings);
  const onRunning = (server: RunningServer) => {
    keepCompiledCode();
    for (const detail of loaded.renamed) server.log.write('warn', { event: 'setting-renamed', detail });
    signals.onReload = () => reload(live, () => loadSettings(sources).settings, server);
  };
  const code = await serve({
    settings: live.settings,
    readyFile,
    compose,
    onRunning,
    stop: signals.stop,
    print,
    printError,
  });
  // What a part left open must not keep a stopped server alive.
  process.exit(code);
}

async function runWords(
  command: Arguments['command'],
  words: CommandWords,
  settings: Settings,
  json: boolean,
): Promise<number> {
  const printError = (text: string) => void process.stderr.write(text);
  if (command === 'tenant') {
    const { composeTenants } = await import('../commands/tenants.ts');
    return runTenant({ ...words, json, open: () => composeTenants(settings), print });
  }
  if (command === 'backup' || command === 'restore') {
    const { composeBackups } = await import('../commands/backup.ts');
    const open = (directory: string, create: boolean) => composeBackups(settings, directory, create);
    const shared = { ...words, json, open, print, printError };
    if (command === 'backup') return runBackup(shared);
    return runRestore({ ...shared, dataDirectory: settings['storage.data_dir'] });
  }
  if (command === 'migrate') {
    const { migrateFrom, migrateTo } = await import('../commands/migrate.ts');
    const from = migrateFrom.bind(null, settings);
    return runMigrate({ ...words, json, from, to: migrateTo.bind(null, settings), print, printError });
  }
  if (command === 'accept-restore') {
    const { acceptRestore } = await import('../commands/accept-restore.ts');
    return runAcceptRestore({ ...words, accept: () => acceptRestore(settings), print });
  }
  const { composeTokens } = await import('../commands/tokens.ts');
  return runToken({ ...words, json, open: () => composeTokens(settings), print, printError });
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

/** After a fault that nobody caught, the state of the process is unknown: it is logged, and a fresh one must take over. */
function endOnFaults(settings: Settings): void {
  const end = (error: unknown) => {
    const log = new Log({ level: settings['logging.level'], format: settings['logging.format'] });
    log.write('fatal', { event: 'unexpected-fault', error: describeError(error) });
    process.stderr.write(
      `framehold: an unexpected fault ended the server: ${describeError(error).message}\n`,
    );
    process.exit(1);
  };
  process.on('uncaughtException', end);
  process.on('unhandledRejection', end);
}
