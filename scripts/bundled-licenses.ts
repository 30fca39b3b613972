import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
const scope = '@framehold/';

/** The licences of all packages that are bundled into what a workspace builds: they ask that their text goes with every copy. */
export function bundledLicenses(workspace: string): string {
  const seen = new Set<string>();
  const pending = [`${scope}${workspace}`];
  const texts: string[] = [];
  for (const name of pending) {
    if (seen.has(name)) continue;
    seen.add(name);
    const isOurs = name.startsWith(scope);
    const folder = isOurs ? join(root, name.slice(scope.length)) : join(root, 'node_modules', name);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly version: string;
      readonly license: string;
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    pending.push(...Object.keys(manifest.dependencies ?? {}));
    if (isOurs) continue;
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license']
      .map((each) => join(folder, each))
      .find(existsSync);
    if (file === undefined) throw new Error(`${name} has no licence text.`);
    texts.push(`${name} ${manifest.version} (${manifest.license})\n\n${readFileSync(file, 'utf8').trim()}\n`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
