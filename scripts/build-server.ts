/**
 * Builds server/dist: the server, the modules that its threads and processes start with, and the command line, bundled with their packages into a
 * few files; and beside them what `npm pack` takes along (docs/decisions/0027).
 */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { build, type Rolldown } from 'vite';
import { licensesIn } from './bundled-licenses.ts';

const root = join(import.meta.dirname, '..');
const server = join(root, 'server');
const source = join(server, 'src');
const dist = join(server, 'dist');

const parquetLibrary = join(root, 'node_modules', 'parquet-wasm');

/** Native code: it stays a package that npm installs for the machine. */
const external = ['@duckdb/node-bindings'];

/** Where threads and processes begin. Each is one file: they start often, and a process loads one file faster than thirty. */
const workers = globSync('{server,engines/*}/src/**/{*-worker,engine-process}.ts', { cwd: root }).sort();
const names = ['main.ts', ...workers].map((path) => basename(path));
if (new Set(names).size !== names.length)
  throw new Error(`two modules of the same name: ${names.join(', ')}`);

/** Folders of the packages whose code is in the bundle. */
const packages = new Set([parquetLibrary]);

rmSync(dist, { recursive: true, force: true });
await bundle('server/src/main.ts', true);
for (const worker of workers) await bundle(worker, false);

async function bundle(entry: string, codeSplitting: boolean): Promise<void> {
  const built = await build({
    root: server,
    configFile: false,
    logLevel: 'warn',
    build: {
      // The oldest Node that runs the server.
      target: 'node24',
      ssr: join(root, entry),
      outDir: dist,
      emptyOutDir: false,
      minify: false,
      sourcemap: true,
      rolldownOptions: {
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: '[name].js',
          codeSplitting,
          sourcemapExcludeSources: true,
          // V8 keeps the text of what it runs. Names stay: they are in stack traces.
          minify: { compress: false, mangle: false, codegen: true },
          // Stack traces show them as they are here.
          sourcemapPathTransform: (path, map) => relative(root, join(dirname(map), path)),
        },
        checks: { pluginTimings: false },
      },
    },
    ssr: { noExternal: true, external },
  });
  const { output } = built as Rolldown.RolldownOutput;
  for (const chunk of output)
    if (chunk.type === 'chunk')
      for (const module of chunk.moduleIds) {
        const [folder] = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module) ?? [];
        if (folder !== undefined) packages.add(folder);
      }
}

// The catalog's tables in PostgreSQL.
cpSync(join(source, 'postgres', 'migrations'), join(dist, 'migrations'), { recursive: true });
cpSync(join(parquetLibrary, 'node'), join(dist, 'parquet-wasm'), {
  recursive: true,
  filter: (path) => !path.endsWith('.d.ts'),
});
writeFileSync(join(dist, 'licenses.txt'), licensesIn(packages));

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
