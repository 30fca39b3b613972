/**
 * Builds the sdist of python/, and from it the wheel: `build-python.ts FOLDER`, by default python/dist. In a copy, because the licence of the
 * repository belongs into both.
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = join(import.meta.dirname, '..');
const target = resolve(process.argv[2] ?? join(root, 'python', 'dist'));
const copy = mkdtempSync(join(tmpdir(), 'framehold-python-'));
try {
  for (const name of ['src', 'tests', 'README.md', 'pyproject.toml'])
    cpSync(join(root, 'python', name), join(copy, name), {
      recursive: true,
      filter: (path) => !path.endsWith('__pycache__'),
    });
  copyFileSync(join(root, 'LICENSE'), join(copy, 'LICENSE'));
  const python = join(root, '.parts', 'python-package', 'bin', 'python');
  // Without isolation: the build back end is one of the parts, and no registry is asked.
  execFileSync(python, ['-m', 'build', '--no-isolation', '--outdir', target, copy], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
} finally {
  rmSync(copy, { recursive: true, force: true });
}
