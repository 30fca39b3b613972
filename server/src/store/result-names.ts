import { FrameholdError } from '../model/errors.ts';
import type { ResultFile } from '../ports/result-folders.ts';

/** Written last by the engine's committer: without it a folder may lack some of its files. */
const successFile = '_SUCCESS';
/**
 * Parquet files of one result, which become the objects of one part. A reader opens all of them, so it is no more than transcoding makes out of
 * 150 GB of Arrow.
 */
const filesMax = 10_000;
/** On a local disk Hadoop writes a checksum beside each file. */
export const entriesMax: number = 3 * filesMax;

/** The files of a complete result out of what is in its folder, in the order of their names. */
export function resultFiles(entries: readonly ResultFile[]): readonly ResultFile[] {
  if (!entries.some(({ name }) => name === successFile)) throw incompleteResult();
  const files = entries.filter(({ name }) => !isHidden(name));
  if (files.length > filesMax) throw tooManyFiles();
  const other = files.find(({ name }) => !isResultName(name));
  if (other !== undefined)
    throw new FrameholdError('engine_failed', 'The engine wrote something else than Parquet files.', {
      hint: 'Check that nothing else writes to the folder of attempts, and run the statement again.',
      cause: new Error(`found ${JSON.stringify(other.name.slice(0, 200))}`),
    });
  return files.toSorted((one, next) => (one.name < next.name ? -1 : 1));
}

export function incompleteResult(cause?: unknown): FrameholdError {
  return new FrameholdError('engine_failed', 'The engine did not complete the result that it wrote.', {
    hint: 'Nothing was stored: run the statement again.',
    ...(cause === undefined ? {} : { cause }),
  });
}

/** Between listing and reading, or while it was read. */
export function changedResult(cause?: unknown): FrameholdError {
  return new FrameholdError('engine_failed', 'A file of the result changed while it was read.', {
    hint: 'Nothing was stored. Check that nothing but the engine writes to the folder of attempts, and run the statement again.',
    ...(cause === undefined ? {} : { cause }),
  });
}

function tooManyFiles(): FrameholdError {
  return new FrameholdError('body_too_large', `The result has more than ${filesMax} files.`, {
    hint: 'Let fewer tasks write it: add an ORDER BY or a hint of the engine, or lower its number of shuffle partitions.',
  });
}

/** What committers keep beside the files: checksums, unfinished tasks, their own records. */
function isHidden(name: string): boolean {
  return name.startsWith('_') || name.startsWith('.');
}

function isResultName(name: string): boolean {
  return name.startsWith('part-') && name.endsWith('.parquet') && !name.includes('/');
}
