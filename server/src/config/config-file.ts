import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { suggest } from '../base/nearest-name.ts';
import { renamedKeys } from './setting-names.ts';
import { settingKeys, settingTable } from './settings.ts';
import { UsageError } from './usage-error.ts';

/** The settings that a file holds, not yet checked. */
export interface ConfigFile {
  readonly path: string;
  /** By key, as it is written: it may be a former one. */
  readonly values: ReadonlyMap<string, unknown>;
}

/** The named file, or else the first of the two usual places that has one. */
export function readConfigFile(named: string | undefined, home: string | undefined): ConfigFile | null {
  if (named !== undefined) {
    const content = readIfThere(named);
    if (content === null) throw new UsageError(`There is no file ${named}, which --config names.`);
    return { path: named, values: parseFile(named, content) };
  }
  if (home === undefined) return null;
  for (const folder of ['.framehold', '.service']) {
    const path = join(home, folder, 'config.toml');
    const content = readIfThere(path);
    if (content !== null) return { path, values: parseFile(path, content) };
  }
  return null;
}

function readIfThere(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw new UsageError(`The file ${path} cannot be read (${code}).`);
  }
}

function parseFile(path: string, content: string): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  try {
    collect(parse(content), '', path, values);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const [problem] = error.message.split('\n');
    throw new UsageError(`${path}:${error.line}:${error.column}: ${problem}`);
  }
  return values;
}

function collect(
  table: Readonly<Record<string, unknown>>,
  prefix: string,
  path: string,
  values: Map<string, unknown>,
): void {
  for (const [name, value] of Object.entries(table)) {
    const key = prefix + name;
    if (Object.hasOwn(settingTable, key) || renamedKeys.has(key)) values.set(key, value);
    else if (
      isTable(value) &&
      [...settingKeys, ...renamedKeys.keys()].some((each) => each.startsWith(`${key}.`))
    )
      collect(value, `${key}.`, path, values);
    else throw unknownKey(key, value, path);
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function unknownKey(key: string, value: unknown, path: string): UsageError {
  // The value is not shown: a misspelt name may hold a secret.
  const given = isTable(value) ? `The section [${key}]` : `The key ${key}`;
  const section = settingKeys.filter((known) => known.startsWith(`${key.split('.')[0]}.`));
  const near = suggest(key, settingKeys);
  const allowed = section.length > 0 ? section.join(', ') : 'what framehold config prints';
  return new UsageError(`${given} in ${path} is not known.${near} Allowed: ${allowed}.`);
}
