import { resolve } from 'node:path';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import type { ParseContext } from './kind.ts';
import { masked } from './mask.ts';
import { describeOrigin, type Origin } from './origin.ts';
import { flagsOf, formerNames, variablesOf } from './setting-names.ts';
import { type SettingKey, type Settings, settingKeys, settingOf } from './settings.ts';
import { UsageError } from './usage-error.ts';
import { refuseUnknownVariables } from './variables.ts';

export interface Sources {
  /** By flag name; every one is known, and given once. */
  readonly flags: ReadonlyMap<string, string>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What --config names. */
  readonly configFile?: string | undefined;
  readonly directory: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  readonly origins: Readonly<Record<SettingKey, Origin>>;
  /** What to say at start: a setting was given by its former name. */
  readonly renamed: readonly string[];
}

interface Given {
  readonly raw: unknown;
  readonly origin: Origin;
}

/** The values in force: flag, then environment, then file, then default. Throws UsageError at the first one that is not allowed. */
export function loadSettings(sources: Sources): LoadedSettings {
  const { environment, configFile, directory } = sources;
  refuseUnknownVariables(environment);
  const home = environment.HOME || undefined;
  const named = configFile === undefined ? undefined : resolve(directory, configFile);
  const file = readConfigFile(named, home);
  const context: ParseContext = { home, directory };
  const values: [SettingKey, unknown][] = [];
  const origins: [SettingKey, Origin][] = [];
  for (const key of settingKeys) {
    const given = find(key, sources, file);
    values.push([key, given === null ? undefined : check(key, given, context)]);
    origins.push([key, given?.origin ?? { from: 'default' }]);
  }
  return {
    settings: Object.fromEntries(values) as Settings,
    origins: Object.fromEntries(origins) as Record<SettingKey, Origin>,
    renamed: origins.flatMap(([key, origin]) => renamed(key, origin, file)),
  };
}

function renamed(key: SettingKey, origin: Origin, file: ConfigFile | null): string[] {
  const { formerly } = settingOf(key);
  if (formerly === undefined || origin.from === 'default') return [];
  const isFormer =
    origin.from === 'file'
      ? !file?.values.has(key)
      : formerNames(formerly).includes(origin.from === 'flag' ? `--${origin.name}` : origin.name);
  return isFormer ? [`The setting ${formerly} (${describeOrigin(origin)}) is now called ${key}.`] : [];
}

function find(key: SettingKey, sources: Sources, file: ConfigFile | null): Given | null {
  for (const name of flagsOf(key)) {
    const flag = sources.flags.get(name);
    if (flag !== undefined) return { raw: flag, origin: { from: 'flag', name } };
  }
  for (const { name, translate } of variablesOf(key)) {
    const written = sources.environment[name];
    const raw = written && translate ? translate(written) : written;
    // Many tools use an empty variable for "not set".
    if (raw) return { raw, origin: { from: 'environment', name } };
  }
  const { default: usual, formerly = key } = settingOf(key);
  for (const name of [key, formerly])
    if (file?.values.has(name))
      return { raw: file.values.get(name), origin: { from: 'file', path: file.path } };
  return usual === undefined ? null : { raw: usual, origin: { from: 'default' } };
}

function check(key: SettingKey, { raw, origin }: Given, context: ParseContext): unknown {
  const setting = settingOf(key);
  const value = setting.kind.parse(raw, context);
  if (value !== undefined) return value;
  const shown = JSON.stringify(masked(setting, raw));
  const link =
    origin.from === 'environment' && /^(tcp|udp|sctp):\/\//.test(String(raw))
      ? ' It looks like a Kubernetes service link: set enableServiceLinks: false for the pod.'
      : '';
  throw new UsageError(
    `${key}: ${shown} (${describeOrigin(origin)}) is not allowed; it must be ${setting.kind.allowed}.${link}`,
  );
}
