/** Builds server/dist, and puts beside it what `npm pack` takes along. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const server = join(root, 'server');
const dist = join(server, 'dist');

rmSync(dist, { recursive: true, force: true });
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
execFileSync(process.execPath, [tsc, '-p', join(server, 'tsconfig.build.json')], { stdio: 'inherit' });

// Generated code is JavaScript with declarations beside it, which tsc reads but does not emit.
for (const file of globSync('**/gen/**/*.js', { cwd: join(server, 'src') })) {
  mkdirSync(dirname(join(dist, file)), { recursive: true });
  copyFileSync(join(server, 'src', file), join(dist, file));
}

// The catalog's tables in PostgreSQL.
cpSync(join(server, 'src', 'postgres', 'migrations'), join(dist, 'postgres', 'migrations'), {
  recursive: true,
});

// npm takes along only what lies in the package's own folder. README, licence and notice are one for the whole repository.
for (const file of ['LICENSE', 'NOTICE', 'README.md']) {
  const source = join(root, file);
  if (existsSync(source)) copyFileSync(source, join(server, file));
}

// The workspaces are built in the order in which package.json lists them: these are there.
for (const part of ['console', 'cli'])
  cpSync(join(root, part, 'dist'), join(dist, part), { recursive: true });

const command = join(dist, 'main.js');
if (!readFileSync(command, 'utf8').startsWith('#!/usr/bin/env node')) {
  throw new Error('server/src/main.ts must begin with #!/usr/bin/env node, or npm cannot link the command');
}
chmodSync(command, 0o755);
