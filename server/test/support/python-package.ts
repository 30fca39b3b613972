import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { partsFolder, repositoryRoot } from './repository.ts';

const run = promisify(execFile);
const tools = join(partsFolder, 'python-package', 'bin', 'python');
const wheels = join(partsFolder, 'python-wheels');
/** Unpacking pyarrow, polars and pandas on a crowded machine. */
const installTimeoutMs = 600_000;

export interface BuiltPackage {
  readonly wheel: string;
  readonly sdist: string;
}

/** The wheel and the sdist of python/. */
export async function buildPythonPackage(folder: string): Promise<BuiltPackage> {
  await run(process.execPath, [join(repositoryRoot, 'scripts', 'build-python.ts'), folder]);
  const files = readdirSync(folder).map((name) => join(folder, name));
  const wheel = files.find((name) => name.endsWith('.whl'));
  const sdist = files.find((name) => name.endsWith('.tar.gz'));
  if (wheel === undefined || sdist === undefined) throw new Error(`built only ${files.join(', ')}`);
  return { wheel, sdist };
}

/** An empty environment; answers the path of its `python`. */
export async function emptyEnvironment(folder: string): Promise<string> {
  await run(tools, ['-m', 'venv', '--without-pip', folder]);
  return join(folder, 'bin', 'python');
}

/** `pip install`, from files only. */
export async function pipInstall(python: string, ...packages: readonly string[]): Promise<void> {
  const quietly = ['--quiet', '--disable-pip-version-check', '--no-compile'];
  const offline = ['--no-index', '--find-links', wheels];
  await run(tools, ['-m', 'pip', '--python', python, 'install', ...quietly, ...offline, ...packages], {
    timeout: installTimeoutMs,
  });
}

/** Runs the type checker in its strict mode over the package. Rejects with what it has found. */
export async function checkTypes(): Promise<void> {
  const pyright = join(partsFolder, 'pyright', 'node_modules', 'pyright', 'index.js');
  const project = join(repositoryRoot, 'python');
  await run(process.execPath, [pyright, '--project', project, '--pythonpath', tools]).catch(
    (error: { stdout?: string }) => {
      throw new Error(error.stdout ?? String(error));
    },
  );
}
