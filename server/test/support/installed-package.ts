import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot, serverFolder } from './repository.ts';

const run = promisify(execFile);
/** Fetching and unpacking DuckDB's 60 MB if npm's cache is cold. */
const installTimeoutMs = 900_000;

/** Builds the server package if nobody has, packs it, and installs the tarball into an empty folder, as a person would. */
export async function installPackage(folder: string): Promise<{ commands: string; installed: string }> {
  // Building anew would take away what other tests run.
  if (process.env.TEST_BUILT !== 'true')
    await run(process.execPath, [join(repositoryRoot, 'scripts', 'build-server.ts')], { cwd: serverFolder });
  await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: serverFolder });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '';
  writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
  const quietly = ['--silent', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  await run('npm', ['install', ...quietly, `./${tarball}`], { cwd: folder, timeout: installTimeoutMs });
  return {
    commands: join(folder, 'node_modules', '.bin'),
    installed: join(folder, 'node_modules', 'framehold'),
  };
}
