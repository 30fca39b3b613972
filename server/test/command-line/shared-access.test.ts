import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { parseArguments } from '../../src/command-line/arguments.ts';
import { runTenant } from '../../src/command-line/tenant.ts';
import { runToken } from '../../src/command-line/token.ts';
import { composeTenants } from '../../src/commands/tenants.ts';
import { composeTokens } from '../../src/commands/tokens.ts';
import { loadSettings } from '../../src/config/load.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let postgres: PostgresServer;
before(async () => {
  postgres = await PostgresServer.start();
});
after(() => postgres.stop());

const folder = temporaryFolder('shared-access');

/** What the command prints. */
async function run(url: string, line: string): Promise<string> {
  const { command, words, json, flags } = parseArguments([...line.split(' '), '--catalog-url', url]);
  assert(words !== undefined);
  const { settings } = loadSettings({ flags, environment: { HOME: folder }, directory: folder });
  let printed = '';
  const print = (text: string) => {
    printed += text;
  };
  const given = { ...words, json, print, printError: print };
  const code =
    command === 'tenant'
      ? await runTenant({ ...given, open: () => composeTenants(settings) })
      : await runToken({ ...given, open: () => composeTokens(settings) });
  assert.equal(code, 0, printed);
  return printed;
}

test('tokens and limits of a shared catalog are made before the first node has started, and leave nothing in a directory', async () => {
  const url = await postgres.newDatabase();
  const made = JSON.parse(await run(url, 'token create --tenant a --scope write --ttl 30d --json'));
  assert.match(made.token, /^fh_[a-z2-7]{12}_[\w-]{43}$/);
  assert.match(await run(url, 'token list'), new RegExp(`${made.id} +a +write +until`));
  assert.match(await run(url, `token revoke ${made.token}`), new RegExp(`${made.id} is revoked`));
  assert.match(await run(url, 'token list'), /revoked/);
  const { limitsSet } = JSON.parse(await run(url, 'tenant set b --bytes-max 2GB --queries-max 4 --json'));
  assert.deepEqual(limitsSet, { bytesMax: 2e9, queriesMax: 4 });
  await run(url, 'tenant set b --queries-max default');
  await postgres.query("INSERT INTO tenants (tenant, frames, bytes) VALUES ('c', 3, 70)", url);
  const listed = await run(url, 'tenant list');
  assert.match(listed, /^a +0 +0 +-$/m);
  assert.match(listed, /^b +0 +0 +bytes-max=2000000000$/m);
  assert.match(listed, /^c +3 +70 +-$/m);
  assert.deepEqual(readdirSync(folder), []);
});
