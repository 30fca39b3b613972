import { UsageError } from '../config/usage-error.ts';
import type { CommandWords } from './command-words.ts';

export interface AcceptRestoreCommand extends CommandWords {
  readonly accept: () => Promise<{ readonly catalog: number; readonly store: number } | null>;
  /** Standard output. */
  readonly print: (text: string) => void;
}

/** `framehold accept-restore`. Returns the exit code. */
export async function runAcceptRestore({ verb, accept, print }: AcceptRestoreCommand): Promise<number> {
  if (verb !== undefined)
    throw new UsageError(`${JSON.stringify(verb)} is not expected after accept-restore.`);
  const before = await accept();
  print(
    before === null
      ? 'The catalog is not behind the bucket: there is nothing to accept.\n'
      : `The catalog was at ${before.catalog} and the bucket at ${before.store}; the catalog counts now. Nodes remove what it does not know.\n`,
  );
  return 0;
}
