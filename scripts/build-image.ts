/**
 * Builds the image of deploy/image with buildah: `npm run build && npm run image -- --tag framehold:0.1.0`. `--base` is another base image,
 * `--context-only FOLDER` prepares the folder for another builder. Words after `--` go to `buildah build`.
 *
 * The packages are installed outside of the image, so that the build uses npm as it is set up here and the image has neither npm's cache nor
 * its credentials. They are those of this machine's processor.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';

const root = join(import.meta.dirname, '..');
const containerfile = join(root, 'deploy', 'image', 'Containerfile');

function main(): void {
  // Another user reads these files in the image.
  process.umask(0o022);
  const { values, positionals } = parseArgs({
    options: {
      tag: { type: 'string', default: 'framehold:latest' },
      base: { type: 'string' },
      'context-only': { type: 'string' },
    },
    allowPositionals: true,
  });
  const kept = values['context-only'];
  if (kept !== undefined) {
    writeContext(resolve(kept));
    return;
  }
  const context = mkdtempSync(join(tmpdir(), 'framehold-image-'));
  try {
    writeContext(context);
    const base = values.base === undefined ? [] : ['--build-arg', `BASE=${values.base}`];
    run('buildah', [
      'build',
      '-f',
      containerfile,
      '-t',
      values.tag,
      '--layers',
      ...base,
      ...labels(),
      ...positionals,
      context,
    ]);
  } finally {
    rmSync(context, { recursive: true, force: true });
  }
}

/** The folders that the Containerfile copies. */
function writeContext(context: string): void {
  const packages = join(context, 'packages');
  const app = join(context, 'app', 'server');
  for (const folder of [packages, app, join(context, 'commands'), join(context, 'data')])
    mkdirSync(folder, { recursive: true });
  installPackages(packages);
  for (const file of ['dist', 'package.json', 'LICENSE', 'NOTICE'])
    cpSync(join(root, 'server', file), join(app, file), { recursive: true });
  cpSync(join(root, 'docs', 'sbom.cdx.json'), join(context, 'app', 'sbom.cdx.json'));
  symlinkSync('/opt/framehold/server/dist/main.js', join(context, 'commands', 'framehold'));
}

/** What the server needs at run time, at the versions and hashes of the lock file. */
function installPackages(folder: string): void {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly workspaces: readonly string[];
  };
  const manifests = ['package.json', 'package-lock.json'].concat(
    workspaces.map((workspace) => join(workspace, 'package.json')),
  );
  for (const file of manifests) cpSync(join(root, file), join(folder, file));
  const quietly = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--silent'];
  run('npm', ['ci', '--omit=dev', '--workspace=server', ...quietly], folder);
  // Only npm needed these. The link leads to the server's folder, which the image has itself.
  rmSync(join(folder, 'node_modules', 'framehold'));
  for (const file of manifests) rmSync(join(folder, file));
  // The whole of `engines`, not only `engines/spark`.
  for (const top of new Set(workspaces.map((workspace) => workspace.replace(/\/.*/, ''))))
    rmSync(join(folder, top), { recursive: true });
}

function labels(): string[] {
  const { version } = JSON.parse(readFileSync(join(root, 'server', 'package.json'), 'utf8')) as {
    version: string;
  };
  const revision = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  return ['--build-arg', `VERSION=${version}`, '--build-arg', `REVISION=${revision}`];
}

function run(command: string, args: readonly string[], cwd: string = root): void {
  execFileSync(command, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
}

main();
