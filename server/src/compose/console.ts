import { fileURLToPath } from 'node:url';
import { type ConsoleFiles, loadConsole } from '../http/console/console-files.ts';

/** In the package, beside the server's own modules. In the sources, where its own build leaves it. */
const builtConsole = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../console/dist' : '../console', import.meta.url),
);

/** Read once: the files never change while the server runs. null if the console has not been built. */
export function composeConsole(folder: string = builtConsole): Promise<ConsoleFiles | null> {
  return loadConsole(folder);
}
