import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { DuckDBInstance } from '@duckdb/node-api';
import { withoutPrivileges } from '../../../src/engine/drop-privileges.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';

const program = new URL('./copy-onto-link.ts', import.meta.url).pathname;

test('an engine process, even of root, cannot write to a linked object, with the allowlist off', async (t) => {
  const launcher = await withoutPrivileges();
  if (process.getuid?.() === 0 && launcher.length === 0) {
    t.skip('root, and no setpriv that takes rights away');
    return;
  }
  const folder = temporaryFolder('drop-privileges');
  t.after(() => removeFolder(folder));
  const file = join(folder, 'object.parquet');
  const instance = await DuckDBInstance.create(':memory:');
  await (await instance.connect()).run(`COPY (SELECT 1 AS a) TO '${file}' (FORMAT parquet)`);
  instance.closeSync();
  const before = readFileSync(file);
  const [command = '', ...args] = [...launcher, process.execPath, program, folder, file];
  const { stdout } = await promisify(execFile)(command, args);
  assert.match(stdout, /IO Error: Cannot open file .*Permission denied/);
  assert.deepEqual(readFileSync(file), before);
  assert.equal(statSync(file).nlink, 1);
});
