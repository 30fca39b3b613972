/** `npm run build:python` where `npm run setup` was never run. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { partsFolder, repositoryRoot } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

const clone = temporaryFolder('clone');
after(() => removeFolder(clone));

test('the Python package is built in a clone without the parts of the tests', async () => {
  for (const name of ['package.json', 'LICENSE', 'scripts', 'python'])
    cpSync(join(repositoryRoot, name), join(clone, name), {
      recursive: true,
      filter: (path) => !/(__pycache__|\/python\/dist)$/.test(path),
    });
  // pip takes the tools from files: no registry is asked.
  const env = { ...process.env, PIP_NO_INDEX: '1', PIP_FIND_LINKS: join(partsFolder, 'python-wheels') };
  await promisify(execFile)('npm', ['run', '--silent', 'build:python'], { cwd: clone, env });
  assert.ok(!existsSync(join(clone, '.parts')));
  assert.deepEqual(readdirSync(join(clone, 'python', 'dist')).sort(), [
    'framehold-0.1.0-py3-none-any.whl',
    'framehold-0.1.0.tar.gz',
  ]);
});
