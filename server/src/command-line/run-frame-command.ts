import { packageFile } from '../base/package-files.ts';
import type { Finding } from '../commands/finding.ts';
import { productVersion } from '../config/version.ts';
import { serverCommands } from './server-commands.ts';

/** What the workspace `cli` exports. */
interface FrameCommands {
  run(
    argv: readonly string[],
    host: {
      readonly version: string;
      readonly serverCommands: readonly string[];
      readonly checkServer: (flags: ReadonlyMap<string, string>) => Promise<readonly Finding[]>;
    },
  ): Promise<number>;
}

/** Runs one of the commands for frames. Built, they are a bundle inside of this package; in a clone they run from their sources. */
export async function runFrameCommand(argv: readonly string[]): Promise<number> {
  const { href } = packageFile({ bundled: 'cli/run.js', source: '../../cli/src/run.ts' });
  const { run } = (await import(href)) as FrameCommands;
  return await run(argv, {
    version: productVersion(),
    serverCommands,
    checkServer: async (flags) => (await import('./doctor.ts')).checkServer(flags),
  });
}
