import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** Git ignores it. */
const usual = join(import.meta.dirname, '..', 'out');

/** Writes a result as JSON and as a page, and says where. */
export function writeOutput(name: string, folder: string | undefined, result: unknown, page: string): void {
  const target = resolve(folder ?? usual);
  mkdirSync(target, { recursive: true });
  const files = [`${name}.json`, `${name}.html`].map((file) => join(target, file));
  const [json = '', html = ''] = files;
  writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(html, page);
  console.log(`written: ${files.join(', ')}`);
}
