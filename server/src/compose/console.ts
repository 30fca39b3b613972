import { fileURLToPath } from 'node:url';
import { packageFile } from '../base/package-files.ts';
import { type ConsoleFiles, loadConsole } from '../http/console/console-files.ts';

const builtConsole = fileURLToPath(packageFile({ bundled: 'console', source: '../../console/dist' }));

/** Read once: the files never change while the server runs. null if the console has not been built. */
export function composeConsole(folder: string = builtConsole): Promise<ConsoleFiles | null> {
  return loadConsole(folder);
}
