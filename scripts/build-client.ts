/** Builds client/dist, and puts the licence beside it for `npm pack`. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const client = join(root, 'client');
const dist = join(client, 'dist');

rmSync(dist, { recursive: true, force: true });
const require = createRequire(import.meta.url);
const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', join(client, 'tsconfig.build.json')], { stdio: 'inherit' });
copyFileSync(join(root, 'LICENSE'), join(client, 'LICENSE'));
bringTypes();

/**
 * One member of Flechette's types has no type, which is an error in every strict program that does not skip the check of libraries. The package brings a
 * copy of them with that member completed. Types are compared by their members, so tables are still tables of Flechette.
 */
function bringTypes(): void {
  const copy = join(dist, 'flechette');
  const flechette = join(root, 'node_modules', '@uwdata', 'flechette');
  cpSync(join(flechette, 'dist', 'types'), copy, { recursive: true });
  copyFileSync(join(flechette, 'LICENSE'), join(copy, 'LICENSE'));
  const table = join(copy, 'table.d.ts');
  const [before, after, ...more] = readFileSync(table, 'utf8').split('    getFactory;\n');
  if (after === undefined || more.length > 0)
    throw new Error('Flechette has other types than before: look whether this copy is still needed.');
  const completed = '    getFactory: (b: number) => (index: number) => { [P in keyof T]: T[P] };\n';
  writeFileSync(table, `${before}${completed}${after}`);
  for (const name of globSync('**/*.d.ts', { cwd: dist, exclude: ['flechette/**'] })) {
    const file = join(dist, name);
    const place = relative(dirname(file), join(copy, 'index-types.js'));
    const specifier = place.startsWith('.') ? place : `./${place}`;
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll("'@uwdata/flechette'", `'${specifier}'`));
  }
}
