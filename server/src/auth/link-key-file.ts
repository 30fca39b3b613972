import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { FrameholdError } from '../model/errors.ts';
import type { LinkKeys } from '../ports/link-keys.ts';

const keyBytes = 32;

/** One key in a file that only its owner can read, made when it is first needed. Removing the file ends all links. */
export function linkKeyFile(file: string): LinkKeys {
  try {
    writeFileSync(file, randomBytes(keyBytes), { flag: 'wx', mode: 0o600, flush: true });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const bytes = readFileSync(file);
  if (bytes.length !== keyBytes)
    throw new FrameholdError('internal', `${file} is not a key of ${keyBytes} bytes.`, {
      hint: 'Delete the file to generate a new key. This revokes all existing links.',
    });
  const newest = { id: null, bytes };
  return { newest, find: (id) => (id === null ? newest : null) };
}
