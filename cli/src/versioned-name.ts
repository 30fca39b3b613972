import { UsageError } from './usage-error.ts';

/** `name@version`, both of them. */
export function parseVersionedName(text: string): { readonly name: string; readonly version: number } {
  const at = text.lastIndexOf('@');
  const version = text.slice(at + 1);
  if (at > 0 && /^[1-9][0-9]{0,14}$/.test(version))
    return { name: text.slice(0, at), version: Number(version) };
  throw new UsageError(
    `${JSON.stringify(text)} names no version.`,
    'Write name@version, as in trades@3; framehold show NAME --versions lists them.',
  );
}
