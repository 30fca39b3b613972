/** Builds client/dist, and puts the licence beside it for `npm pack`. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const client = join(root, 'client');

rmSync(join(client, 'dist'), { recursive: true, force: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', join(client, 'tsconfig.build.json')], { stdio: 'inherit' });
copyFileSync(join(root, 'LICENSE'), join(client, 'LICENSE'));
