/**
 * Builds the sdist of python/, and from it the wheel: `build-python.ts FOLDER`, by default python/dist. In a copy, because the licence of the
 * repository belongs into both.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const target = resolve(process.argv[2] ?? join(root, 'python', 'dist'));
const place = mkdtempSync(join(tmpdir(), 'framehold-python-'));
const copy = join(place, 'package');
try {
  for (const name of ['src', 'tests', 'README.md', 'pyproject.toml'])
    cpSync(join(root, 'python', name), join(copy, name), {
      recursive: true,
      filter: (path) => !path.endsWith('__pycache__'),
    });
  copyFileSync(join(root, 'LICENSE'), join(copy, 'LICENSE'));
  const python = pythonWithTools(join(place, 'tools'));
  // Without isolation: the build back end is there already, in the version that the tests use.
  execFileSync(python, ['-m', 'build', '--no-isolation', '--outdir', target, copy], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  console.log(`Built in ${target}`);
} finally {
  rmSync(place, { recursive: true, force: true });
}

/** That of `npm run setup`; in a clone without it, an environment with the same two tools, which pip fetches. */
function pythonWithTools(folder: string): string {
  const part = join(root, '.parts', 'python-package', 'bin', 'python');
  if (existsSync(part)) return part;
  const lines = readFileSync(join(root, 'scripts', 'python-package-parts.txt'), 'utf8').split('\n');
  const tools = lines.filter((line) => /^(build|hatchling)==/.test(line));
  try {
    execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
  } catch (cause) {
    throw new Error('python3 (3.10 or later) with venv is needed: on Debian, apt-get install python3-venv.', {
      cause,
    });
  }
  const python = join(folder, 'bin', 'python');
  execFileSync(python, ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...tools], {
    stdio: 'inherit',
  });
  return python;
}
