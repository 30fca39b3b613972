/** Builds console/dist: the page, its assets compressed ahead of time, and the licences of what is bundled. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync, constants as zlib } from 'node:zlib';
import { build } from 'vite';
import { bundledLicenses } from './bundled-licenses.ts';

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
writeFileSync(join(dist, 'licenses.txt'), bundledLicenses('console'));
