import { readFileSync } from 'node:fs';
import { packageFile } from '../base/package-files.ts';

/** Our version, from the package this file was shipped in. */
export function productVersion(): string {
  const text = readFileSync(packageFile({ bundled: '../package.json', source: '../package.json' }), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}
