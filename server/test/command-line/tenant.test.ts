import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from '../../src/command-line/arguments.ts';
import { runTenant } from '../../src/command-line/tenant.ts';
import { composeTenants } from '../../src/commands/tenants.ts';
import { loadSettings } from '../../src/config/load.ts';
import { UsageError } from '../../src/config/usage-error.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('tenants');

async function run(line: string): Promise<string> {
  const { words, json, flags } = parseArguments(['tenant', ...line.split(' '), '--data-dir', folder]);
  assert(words !== undefined);
  const { settings } = loadSettings({ flags, environment: {}, directory: folder });
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  assert.equal(await runTenant({ ...words, json, open: () => composeTenants(settings), print }), 0);
  return printed;
}

test('limits are set with the rules of the settings, shown, and taken back', async () => {
  assert.equal(await run('list'), 'TENANT  FRAMES  BYTES  LIMITS SET\n');
  const shown = await run('set acme --bytes-max 2GB --queries-max 4 --tenant-frames-max 7');
  assert.match(shown, /^bytes-max +2000000000$/m);
  assert.match(shown, /^frames-max +7 \(server\)$/m);
  assert.match(shown, /^streams-max +no limit \(server\)$/m);
  assert.match(await run('list'), /^acme +0 +0 +bytes-max=2000000000 queries-max=4$/m);
  const { limitsSet } = JSON.parse(await run('set acme --bytes-max default --json'));
  assert.deepEqual(limitsSet, { queriesMax: 4 });
  assert.equal(JSON.parse(await run('show acme --json')).limits.bytesMax, null);
});

test('a wrong command is reported in one line, and changes nothing', async () => {
  for (const [line, told] of [
    ['sett acme', /Did you mean set\?/],
    ['set acme', /needs a limit: --bytes-max/],
    ['set', /name of one tenant/],
    ['set Acme --bytes-max 1', /cannot be a tenant/],
    ['set acme --queries-max 0', /a whole number from 1/],
    ['set acme --bytes-max none', /or default/],
    ['set acme --byte-max 1', /Did you mean --bytes-max\?/],
    ['show acme --bytes-max 1', /only allowed with tenant set/],
    ['list acme', /not expected/],
    ['set acme --scope read', /not allowed with the command tenant/],
  ] as const)
    await assert.rejects(
      run(line),
      (error) => error instanceof UsageError && told.test(error.message) && !error.message.includes('\n'),
      line,
    );
  assert.deepEqual(JSON.parse(await run('show acme --json')).limitsSet, { queriesMax: 4 });
});
