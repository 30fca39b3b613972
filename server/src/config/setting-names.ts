import type { OtherVariable } from './setting.ts';
import { type SettingKey, settingOf } from './settings.ts';

/** Named after the key: `storage-cache-size-gb`. */
export function flagOf(key: SettingKey): string {
  return key.replaceAll('.', '-').replaceAll('_', '-');
}

/** That one, and the shorter one if there is any. */
export function flagsOf(key: SettingKey): readonly string[] {
  const { flag } = settingOf(key);
  return flag === undefined ? [flagOf(key)] : [flagOf(key), flag];
}

/** The variables that can set it, the first one wins. */
export function variablesOf(key: SettingKey): OtherVariable[] {
  const [named = '', short] = flagsOf(key).map((flag) => flag.toUpperCase().replaceAll('-', '_'));
  const names =
    short === undefined
      ? [`FRAMEHOLD_${named}`, `SERVICE_${named}`]
      : [`FRAMEHOLD_${short}`, `FRAMEHOLD_${named}`, `SERVICE_${short}`];
  return [...names.map((name) => ({ name })), ...(settingOf(key).otherVariables ?? [])];
}
