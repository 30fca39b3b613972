import type { Backups } from '../commands/backup.ts';
import { UsageError } from '../config/usage-error.ts';
import type { CommandWords } from './command-words.ts';
import { textTable } from './text-table.ts';

export interface BackupCommand extends CommandWords {
  readonly json: boolean;
  readonly open: (directory: string, create: boolean) => Promise<Backups>;
  /** Standard output. */
  readonly print: (text: string) => void;
  /** Standard error. */
  readonly printError: (text: string) => void;
}

/** How many words follow each; a first word that is none of these is the directory of `framehold backup DIRECTORY`. */
const verbs: ReadonlyMap<string, number> = new Map([
  ['list', 1],
  ['verify', 1],
  ['remove', 2],
]);
/** Lines of progress at most once in this time. */
const progressEveryMs = 1_000;

/** `framehold backup DIRECTORY`, `backup list|verify DIRECTORY`, `backup remove DIRECTORY ID`. Returns the exit code. */
export async function runBackup(command: BackupCommand): Promise<number> {
  const { verb = '', words, options } = command;
  const count = verbs.get(verb);
  const [directory = '', id = ''] = count === undefined ? [verb] : words;
  if (directory === '' || words.length !== (count ?? 0))
    throw new UsageError(
      'framehold backup needs DIRECTORY, list DIRECTORY, verify DIRECTORY or remove DIRECTORY ID.',
    );
  if (count !== undefined && options.has('keep'))
    throw new UsageError(`The flag --keep is not allowed with backup ${verb}.`);
  const keep = keepIn(options);
  const backups = await command.open(directory, count === undefined);
  try {
    if (verb === 'list') return list(command, backups);
    if (verb === 'verify') return await verify(command, backups);
    if (verb === 'remove') return await remove(command, backups, id);
    return await make(command, backups, keep);
  } finally {
    await backups.close();
  }
}

export interface RestoreCommand extends BackupCommand {
  /** Where it is restored to. */
  readonly dataDirectory: string;
}

/** `framehold restore DIRECTORY [--at ID] --data-dir NEW`. Returns the exit code. */
export async function runRestore(command: RestoreCommand): Promise<number> {
  const { verb: directory, words, options, json, print, printError, dataDirectory } = command;
  if (directory === undefined || words.length > 0)
    throw new UsageError('framehold restore needs the directory of the backups.');
  const backups = await command.open(directory, false);
  try {
    const progress = limitedProgress(printError, 'restored');
    const { restored, report } = await backups.restore(options.get('at'), ({ objects, bytes }) =>
      progress(objects, bytes),
    );
    const { objects, bytes, faults } = report;
    const damaged = restored.faults.length;
    if (json) print(`${JSON.stringify({ id: restored.id, dataDirectory, ...report })}\n`);
    else {
      for (const { key, kind, detail } of faults) print(`${kind}: ${key}: ${detail}\n`);
      print(`${restored.id} is restored to ${dataDirectory}: ${objects} objects, ${bytes} bytes.\n`);
    }
    if (faults.length === 0) return 0;
    printError(
      `framehold: ${faults.length} objects are not restored; ${damaged} of them were damaged before the backup. Reads of frames that use them are refused: framehold verify names them.\n`,
    );
    return 1;
  } finally {
    await backups.close();
  }
}

function keepIn(options: ReadonlyMap<string, string>): number | null {
  const text = options.get('keep');
  if (text === undefined) return null;
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  throw new UsageError(`--keep ${JSON.stringify(text)} is not allowed; it must be a whole number from 1.`);
}

async function make(
  { json, print, printError }: BackupCommand,
  backups: Backups,
  keep: number | null,
): Promise<number> {
  const progress = limitedProgress(printError, 'in the backup');
  const { made, removed } = await backups.make(keep, ({ objects, bytes }) => progress(objects, bytes));
  const { id, objects, bytes, copiedObjects, copiedBytes, faults } = made;
  if (json) print(`${JSON.stringify({ ...made, removed })}\n`);
  else {
    for (const { key, kind, detail } of faults) print(`${kind}: ${key}: ${detail}\n`);
    print(
      `${id}: ${objects} objects, ${bytes} bytes; copied ${copiedObjects} objects, ${copiedBytes} bytes.\n`,
    );
    for (const old of removed) print(`${old} is removed.\n`);
  }
  if (faults.length === 0) return 0;
  printError(
    `framehold: ${faults.length} objects are damaged in the data directory and are not in the backup: framehold verify names their frames.\n`,
  );
  return 1;
}

function list({ json, print }: BackupCommand, backups: Backups): number {
  const all = backups.list();
  if (json) print(`${JSON.stringify({ backups: all })}\n`);
  else
    print(
      textTable([
        ['ID', 'OBJECTS', 'BYTES', 'COPIED', 'DAMAGED', 'DATA DIRECTORY'],
        ...all.map(({ id, objects, bytes, copiedBytes, faults, source }) => [
          id,
          String(objects),
          String(bytes),
          String(copiedBytes),
          String(faults.length),
          source,
        ]),
      ]),
    );
  return 0;
}

async function verify({ json, print, printError }: BackupCommand, backups: Backups): Promise<number> {
  const report = await backups.verify(limitedProgress(printError, 'compared'));
  const { objects, bytes, faults } = report;
  if (json) print(`${JSON.stringify(report)}\n`);
  else {
    for (const { key, kind, detail, backup } of faults) print(`${backup}: ${kind}: ${key}: ${detail}\n`);
    print(
      `${report.backups} backups, ${objects} objects, ${bytes} bytes: ${faults.length === 0 ? 'all as they were put' : `${faults.length} damaged`}.\n`,
    );
  }
  return faults.length === 0 ? 0 : 1;
}

async function remove({ json, print }: BackupCommand, backups: Backups, id: string): Promise<number> {
  await backups.remove(id);
  print(json ? `${JSON.stringify({ removed: id })}\n` : `${id} is removed.\n`);
  return 0;
}

/** Prints a line now and then. */
export function limitedProgress(
  printError: (text: string) => void,
  what: string,
): (objects: number, bytes: number) => void {
  let printedAt = performance.now();
  return (objects, bytes) => {
    if (performance.now() - printedAt < progressEveryMs) return;
    printedAt = performance.now();
    printError(`${objects} objects, ${Math.round(bytes / 1e6)} MB ${what} …\n`);
  };
}
