import type { Migrated } from '../commands/migrate.ts';
import { UsageError } from '../config/usage-error.ts';
import { limitedProgress } from './backup.ts';
import type { CommandWords } from './command-words.ts';

type Migrate = (
  directory: string,
  onProgress: (progress: { readonly objects: number; readonly bytes: number }) => void,
) => Promise<Migrated>;

export interface MigrateCommand extends CommandWords {
  readonly json: boolean;
  readonly from: Migrate;
  readonly to: Migrate;
  /** Standard output. */
  readonly print: (text: string) => void;
  /** Standard error. */
  readonly printError: (text: string) => void;
}

/** `framehold migrate from DIRECTORY`, `framehold migrate to DIRECTORY`. Returns the exit code. */
export async function runMigrate(command: MigrateCommand): Promise<number> {
  const { verb, words, json, print, printError } = command;
  const [directory] = words;
  if ((verb !== 'from' && verb !== 'to') || directory === undefined || words.length > 1)
    throw new UsageError(
      'framehold migrate needs from DIRECTORY or to DIRECTORY; catalog.url and storage.url say where the other side is.',
    );
  const progress = limitedProgress(printError, 'there');
  const report = await command[verb](directory, ({ objects, bytes }) => progress(objects, bytes));
  const { rows, objects, bytes, copiedObjects, faults } = report;
  if (json) print(`${JSON.stringify(report)}\n`);
  if (faults.length > 0) {
    if (!json) for (const { key, kind, detail } of faults) print(`${kind}: ${key}: ${detail}\n`);
    printError(
      `framehold: ${faults.length} objects are damaged, so nothing was migrated. framehold verify names their frames: restore the files, or drop the frames, and run the command again.\n`,
    );
    return 1;
  }
  if (json) return 0;
  if (rows === null) print('It had been migrated before; nothing is left to do.\n');
  else
    print(
      `${rows} rows of the catalog and ${objects} objects, ${bytes} bytes, are ${verb === 'from' ? `moved from ${directory}` : `in ${directory}`}; ${copiedObjects} objects were copied this time.\n`,
    );
  return 0;
}
