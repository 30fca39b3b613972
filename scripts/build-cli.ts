/** Builds cli/dist: the commands for frames, the client and its package in a few files, because a process loads few files faster than many. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'vite';
import { bundledLicenses } from './bundled-licenses.ts';

const cli = join(import.meta.dirname, '..', 'cli');

await build({
  root: cli,
  configFile: false,
  logLevel: 'warn',
  build: {
    // The oldest Node that runs the server.
    target: 'node24',
    ssr: join(cli, 'src', 'run.ts'),
    outDir: 'dist',
    emptyOutDir: true,
    minify: true,
    rolldownOptions: {
      output: { entryFileNames: '[name].js', chunkFileNames: '[name].js' },
      checks: { pluginTimings: false },
    },
  },
  // Nothing but modules of Node stays outside.
  ssr: { noExternal: true },
});
writeFileSync(join(cli, 'dist', 'licenses.txt'), bundledLicenses('cli'));
