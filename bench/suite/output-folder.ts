import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Git ignores it. */
const usual = join(import.meta.dirname, '..', 'out');

/** The folder that was asked for, or the usual one. It is there afterwards. */
export function outputFolder(wanted: string | undefined): string {
  const folder = resolve(wanted ?? usual);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Writes a result as JSON and as a page, and says where. */
export function writeOutput(name: string, folder: string | undefined, result: unknown, page: string): void {
  const target = outputFolder(folder);
  const files = [`${name}.json`, `${name}.html`].map((file) => join(target, file));
  const [json = '', html = ''] = files;
  writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(html, page);
  console.log(`written: ${files.join(', ')}`);
}
