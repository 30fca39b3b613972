import type { Call, Command, Host } from './command.ts';
import { commandHelp } from './command-help.ts';
import { commands } from './commands.ts';
import type { ChosenServer } from './connection/choose-server.ts';
import { exitCodeOf } from './exit-codes.ts';
import { Interrupted } from './interrupted.ts';
import { StandardOutput } from './output/standard-output.ts';
import { parseCall } from './parse-call.ts';
import { describeFailure } from './report-error.ts';

/** `framehold put …`, `get …` and the others. The first word is one of `commands`. Returns the exit code. */
export async function run([name = '', ...argv]: readonly string[], host: Host): Promise<number> {
  const command = commands.find((each) => each.name === name);
  if (command === undefined) throw new RangeError(`There is no command ${name}.`);
  let server: ChosenServer | undefined;
  const interruption = watchSignals();
  const output = new StandardOutput(process.stdout);
  const ended = new AbortController();
  try {
    return await execute(command, argv, {
      output,
      errors: process.stderr,
      environment: process.env,
      commands,
      host,
      signal: AbortSignal.any([interruption.signal, ended.signal]),
      choose: async (options) => {
        const { chooseServer } = await import('./connection/choose-server.ts');
        server = chooseServer(options, process.env);
        return server;
      },
    });
  } catch (error) {
    // What a request threw because it was interrupted is of no interest.
    const reason = interruption.signal.aborted ? interruption.signal.reason : error;
    const context = { url: server?.url, hasToken: server?.token !== undefined };
    process.stderr.write(await describeFailure(reason, context));
    return exitCodeOf(reason);
  } finally {
    interruption.end();
    // An answer that nobody reads to its end would keep the process alive.
    ended.abort();
  }
}

interface World extends Omit<Call, 'words' | 'options' | 'connect'> {
  readonly choose: (options: Call['options']) => Promise<ChosenServer>;
}

async function execute(command: Command, argv: readonly string[], world: World): Promise<number> {
  const { words, options, wantsHelp } = parseCall(command, argv);
  if (wantsHelp) {
    await world.output.write(commandHelp(command));
    return 0;
  }
  const { run: runCommand } = await command.load();
  const connectTo = async () => {
    const server = await world.choose(options);
    const { connect } = await import('./connection/connect.ts');
    return await connect(server);
  };
  return await runCommand({ ...world, words, options, connect: connectTo });
}

/** The first Ctrl-C cancels what is under way; the second ends the process at once. */
function watchSignals(): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const handlers = (['SIGINT', 'SIGTERM', 'SIGHUP'] as const).map((name) => {
    const handle = () => {
      const reason = new Interrupted(name);
      if (controller.signal.aborted) process.exit(reason.exitCode);
      controller.abort(reason);
    };
    process.on(name, handle);
    return () => process.off(name, handle);
  });
  const end = () => {
    for (const remove of handlers) remove();
  };
  return { signal: controller.signal, end };
}
