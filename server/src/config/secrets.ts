import { readFileSync, statSync } from 'node:fs';
import type { SettingKey } from './settings.ts';
import { settingOf } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** A larger file does not contain a secret. */
const secretFileBytesMax = 64 * 1024;

/** What was written, or what the file has. UsageError if both are given. */
export function secretOf(
  written: string | undefined,
  file: string | undefined,
  key: SettingKey,
  fileKey: SettingKey,
): string | undefined {
  if (file === undefined) return written;
  if (written !== undefined)
    throw new UsageError(`Both ${key} and ${fileKey} are given; one of them is allowed.`);
  return readSecret(file, key, fileKey);
}

/** `key`: the setting whose rule the secret must follow. */
export function readSecret(file: string, key: SettingKey, fileKey: SettingKey): string {
  let text = '';
  try {
    if (statSync(file).size <= secretFileBytesMax) text = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(
      `${fileKey}: the file ${file} cannot be read (${(error as NodeJS.ErrnoException).code}).`,
    );
  }
  const { kind } = settingOf(key);
  if (kind.parse(text, { home: undefined, directory: '/' }) === undefined)
    throw new UsageError(
      `${fileKey}: what the file ${file} holds is not allowed; it must be ${kind.allowed}.`,
    );
  return text;
}
