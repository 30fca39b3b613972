import type { Setting } from './setting.ts';

const hidden = '***';

/** A value as it may be shown. Also for values that are not allowed: an error must not show what the right value would hide. */
export function masked(setting: Setting, value: unknown): unknown {
  if (setting.secret === 'whole') return hidden;
  if (setting.secret === undefined) return value;
  // In the file it may be a list or a table by mistake, with the right value somewhere in it.
  if (typeof value !== 'string') return hidden;
  const named = value.replace(/^([a-z][a-z0-9+.-]*:\/\/)?.*@/is, `$1${hidden}@`);
  // Where clients of Spark have their token.
  return named.replace(/(token=)[^;,]*/gi, `$1${hidden}`);
}
