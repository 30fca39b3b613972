/** Builds console/dist: the page, its assets compressed ahead of time, and the licences of what is bundled. */
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
import { build } from 'vite';

const root = join(import.meta.dirname, '..');
const console = join(root, 'console');
const dist = join(console, 'dist');

await build({ configFile: join(console, 'vite.config.ts'), logLevel: 'warn' });

for (const file of globSync('assets/*.{js,css,svg}', { cwd: dist })) {
  const path = join(dist, file);
  const bytes = readFileSync(path);
  writeFileSync(`${path}.gz`, gzipSync(bytes, { level: 9 }));
  writeFileSync(
    `${path}.br`,
    brotliCompressSync(bytes, { params: { [zlib.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
  );
}
writeFileSync(join(dist, 'licenses.txt'), bundledLicenses());

/** The licences ask that their text goes with every copy. */
function bundledLicenses(): string {
  const seen = new Set<string>();
  const pending = ['@framehold/console'];
  const texts: string[] = [];
  for (const name of pending) {
    if (seen.has(name)) continue;
    seen.add(name);
    const folder =
      name === '@framehold/console'
        ? console
        : name === '@framehold/client'
          ? join(root, 'client')
          : join(root, 'node_modules', name);
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      readonly version: string;
      readonly license: string;
      readonly dependencies?: Readonly<Record<string, string>>;
    };
    pending.push(...Object.keys(manifest.dependencies ?? {}));
    if (name.startsWith('@framehold/')) continue;
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license']
      .map((each) => join(folder, each))
      .find(existsSync);
    if (file === undefined) throw new Error(`${name} has no licence text.`);
    texts.push(`${name} ${manifest.version} (${manifest.license})\n\n${readFileSync(file, 'utf8').trim()}\n`);
  }
  return texts.join(`\n${'-'.repeat(80)}\n\n`);
}
