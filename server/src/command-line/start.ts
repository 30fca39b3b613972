import { productVersion } from '../config/version.ts';
import { frameCommandIn } from './frame-commands.ts';

/** The command `framehold`. Each side is loaded only if it is wanted: people wait for a prompt, and a server needs no client. */
export async function start(argv: readonly string[]): Promise<number> {
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === 'version')) {
    process.stdout.write(`framehold ${productVersion()}\n`);
    return 0;
  }
  const frameCommand = frameCommandIn(argv);
  if (frameCommand !== null) {
    const { runFrameCommand } = await import('./run-frame-command.ts');
    return await runFrameCommand(frameCommand);
  }
  const { run } = await import('./run.ts');
  return await run(argv);
}
