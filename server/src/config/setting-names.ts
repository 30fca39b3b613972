import type { OtherVariable } from './setting.ts';
import { type SettingKey, settingKeys, settingOf } from './settings.ts';

/** Former key → key. */
export const renamedKeys: ReadonlyMap<string, SettingKey> = new Map(
  settingKeys.flatMap((key) => {
    const { formerly } = settingOf(key);
    return formerly === undefined ? [] : [[formerly, key] as const];
  }),
);

/** Named after the key: `storage-cache-size-gb`. */
export function flagOf(key: string): string {
  return key.replaceAll('.', '-').replaceAll('_', '-');
}

/** That one, the shorter one if there is any, and the one of the former key. */
export function flagsOf(key: SettingKey): readonly string[] {
  const { flag, formerly } = settingOf(key);
  return [
    flagOf(key),
    ...(flag === undefined ? [] : [flag]),
    ...(formerly === undefined ? [] : [flagOf(formerly)]),
  ];
}

/** The variables that can set it, the first one wins. */
export function variablesOf(key: SettingKey): OtherVariable[] {
  const { flag, formerly, otherVariables = [] } = settingOf(key);
  const named = variableOf(key);
  const names =
    flag === undefined
      ? [`FRAMEHOLD_${named}`, `SERVICE_${named}`]
      : [`FRAMEHOLD_${variableOf(flag)}`, `FRAMEHOLD_${named}`, `SERVICE_${variableOf(flag)}`];
  const former = formerly === undefined ? [] : formerVariables(formerly);
  return [...[...names, ...former].map((name) => ({ name })), ...otherVariables];
}

/** Every name of the former key. */
export function formerNames(formerly: string): readonly string[] {
  return [formerly, `--${flagOf(formerly)}`, ...formerVariables(formerly)];
}

function formerVariables(formerly: string): string[] {
  return [`FRAMEHOLD_${variableOf(formerly)}`, `SERVICE_${variableOf(formerly)}`];
}

function variableOf(key: string): string {
  return flagOf(key).toUpperCase().replaceAll('-', '_');
}
