import { withSourceLines } from '../base/source-lines.ts';
import type { RunningServer } from '../compose/server.ts';
import { closeCommand } from '../config/close-command.ts';
import type { Settings } from '../config/settings.ts';
import { UsageError } from '../config/usage-error.ts';
import { boundUrls, firstTokenNotice, greeting, reachable } from './greeting.ts';
import { remindOfOpenServer } from './open-reminder.ts';
import { removeReadyFile, writeReadyFile } from './ready-file.ts';
import { describeStartFailure } from './start-failure.ts';

export interface ServeOptions {
  readonly settings: Settings;
  readonly readyFile: string | undefined;
  readonly compose: (settings: Settings) => Promise<RunningServer>;
  /** Called once, when both listeners answer. */
  readonly onRunning: (server: RunningServer) => void;
  /** Resolves when the server is to stop, with the reason. */
  readonly stop: Promise<string>;
  /** Standard output, which also has the log. */
  readonly print: (text: string) => void;
  /** For people: standard error. */
  readonly printError: (text: string) => void;
}

/** What closing may take beyond the time that requests are given: the catalog and the log must still be written. */
export const closeGraceMs = 10_000;

/** Starts the server, waits for the signal to stop, lets requests finish. Returns the exit code. */
export async function serve(options: ServeOptions): Promise<number> {
  const { settings, readyFile, compose, onRunning, stop, print, printError } = options;
  let server: RunningServer | null = null;
  try {
    if (readyFile !== undefined) await removeReadyFile(readyFile);
    server = await compose(settings);
    if (readyFile !== undefined)
      await writeReadyFile(readyFile, { ...reachable(boundUrls(server)), pid: process.pid });
  } catch (error) {
    if (error instanceof UsageError) throw error;
    printError(`framehold: ${describeStartFailure(error, settings) ?? stackOf(error)}\n`);
    await server?.close();
    return 1;
  }
  onRunning(server);
  const bound = boundUrls(server);
  server.log.write('info', { event: 'started', ...bound, ...managementOf(server) });
  const command = closeCommand(settings);
  if (server.firstToken !== null) print(firstTokenNotice(server.firstToken));
  printError(
    greeting(bound, { management: server.management, closeCommand: server.isOpen ? command : null }),
  );
  using _ = remindOfOpenServer(server, bound, command);
  server.log.write('info', { event: 'stopping', reason: await stop });
  printError('Stopping. Requests may finish; a second signal ends them now.\n');
  if (readyFile !== undefined) await removeReadyFile(readyFile);
  const drainMs = settings['server.drain_delay_ms'] + settings['server.drain_ms'];
  return close(server, drainMs + closeGraceMs, printError);
}

function managementOf({ management }: RunningServer): { readonly management?: string } {
  return management === null ? {} : { management };
}

async function close(
  server: RunningServer,
  waitMs: number,
  printError: (text: string) => void,
): Promise<number> {
  const timedOut = Promise.withResolvers<'late'>();
  const timer = setTimeout(() => timedOut.resolve('late'), Math.min(waitMs, 2_147_483_647));
  try {
    if ((await Promise.race([server.close(), timedOut.promise])) !== 'late') return 0;
    printError(`framehold: the server did not close within ${waitMs} ms.\n`);
  } catch (error) {
    printError(`framehold: closing failed: ${stackOf(error)}\n`);
  } finally {
    clearTimeout(timer);
  }
  return 1;
}

function stackOf(error: unknown): string {
  return error instanceof Error ? withSourceLines(error.stack ?? error.message) : String(error);
}
