import type { LoadedSettings } from './load.ts';
import { masked } from './mask.ts';
import { describeOrigin } from './origin.ts';
import { type SettingKey, settingKeys, settingOf } from './settings.ts';

/** The values in force as a TOML file, each with its source as a comment. What is masked must be filled in again. */
export function showAsToml({ settings, origins }: LoadedSettings): string {
  const lines = settingKeys.map((key) => {
    const value = written(key, settings[key]);
    const line = value === null ? `# ${key} =` : `${key} = ${JSON.stringify(value)}`;
    return [line, value === null ? 'not set' : describeOrigin(origins[key])] as const;
  });
  const width = Math.min(Math.max(...lines.map(([line]) => line.length)), 60);
  return lines.map(([line, source]) => `${line.padEnd(width)}  # ${source}\n`).join('');
}

export function showAsJson({ settings, origins }: LoadedSettings): string {
  const entries = settingKeys.map((key) => {
    const value = written(key, settings[key]);
    return [key, { value, source: value === null ? 'not set' : describeOrigin(origins[key]) }];
  });
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}

function written(key: SettingKey, value: unknown): string | number | boolean | null {
  if (value === undefined) return null;
  const setting = settingOf(key);
  return masked(setting, setting.kind.format(value)) as string | number | boolean;
}
