import { readFileSync } from 'node:fs';

/** Our version, from the package this file was shipped in. */
export function productVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
