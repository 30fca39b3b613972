import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseArguments } from '../../src/command-line/arguments.ts';
import { runToken } from '../../src/command-line/token.ts';
import { composeTokens } from '../../src/commands/tokens.ts';
import { loadSettings } from '../../src/config/load.ts';
import { UsageError } from '../../src/config/usage-error.ts';
import { runFramehold } from '../support/framehold-process.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder('tokens');

async function run(line: string): Promise<{ code: number; printed: string; told: string }> {
  const { words: token, json, flags } = parseArguments(['token', ...line.split(' '), '--data-dir', folder]);
  assert(token !== undefined);
  const { settings } = loadSettings({ flags, environment: {}, directory: folder });
  let printed = '';
  let told = '';
  const code = await runToken({
    ...token,
    json,
    open: () => composeTokens(settings),
    print: (text) => {
      printed += text;
    },
    printError: (text) => {
      told += text;
    },
  });
  return { code, printed, told };
}

test('a token is printed once, listed without its secret, and revoked by its id or by itself', async () => {
  const made = JSON.parse(
    (await run('create --tenant a --scope write,tsdb --ttl 30d --name loader --json')).printed,
  );
  assert.match(made.token, /^fh_[a-z2-7]{12}_[\w-]{43}$/);
  assert.deepEqual([made.tenant, made.scopes, made.name], ['a', ['write', 'tsdb'], 'loader']);
  const days = (Date.parse(made.expiresAt) - Date.parse(made.createdAt)) / 86_400_000;
  assert.equal(days, 30);
  const { printed } = await run('list');
  assert.match(printed, new RegExp(`${made.id} +a +write,tsdb +until .* loader`));
  assert.ok(
    !printed.includes(made.token.slice(-43)) &&
      !(await run('list --json')).printed.includes(made.token.slice(-43)),
  );
  assert.equal((await run(`revoke ${made.id}`)).code, 0);
  assert.match((await run('list')).printed, /revoked/);
  const second = await run('create');
  assert.match(second.told, /only time/);
  assert.equal((await run(`revoke ${second.printed.trim()}`)).code, 0);
});

test('by default a token reads the tenant default for 90 days; one that never expires must be requested', async () => {
  const made = JSON.parse((await run('create --json')).printed);
  assert.deepEqual([made.tenant, made.scopes], ['default', ['read']]);
  assert.equal(Math.round((Date.parse(made.expiresAt) - Date.now()) / 86_400_000), 90);
  assert.equal(JSON.parse((await run('create --ttl never --json')).printed).expiresAt, null);
});

test('a certificate gets no token, and its name is a common name unless a kind is given', async () => {
  const made = JSON.parse((await run('create --certificate loader --json')).printed);
  assert.deepEqual([made.certificate, 'token' in made], ['CN:loader', false]);
  assert.equal(
    JSON.parse((await run('create --certificate URI:spiffe://a/b --json')).printed).certificate,
    'URI:spiffe://a/b',
  );
});

test('what is not there cannot be revoked', async () => {
  const { code, told } = await run('revoke aaaaaaaaaaaa');
  assert.deepEqual([code, /token list/.test(told)], [1, true]);
});

const wrong = [
  ['create --scope all', /"all" is not a scope. Allowed: read, write/],
  ['create --tenant A', /A tenant is 1 to 63/],
  ['create --ttl 0', /Or never/],
  ['create x', /"x" is not expected after token create/],
  ['revoke', /needs the id/],
  ['list --tenant a', /--tenant is only allowed with token create/],
  ['make', /one of create, list, revoke/],
] as const;
for (const [line, reason] of wrong) {
  test(`refused: framehold token ${line}`, async () => {
    await assert.rejects(run(line), (error) => error instanceof UsageError && reason.test(error.message));
  });
}

test('a data directory that is none is one line', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');
  const { code, output } = await runFramehold(['token', 'list', '--data-dir', file]);
  assert.equal(code, 1);
  assert.match(output, /^framehold: .*a-file.*$/);
});

test('an operator has no tenant, no other scope and no certificate', async () => {
  const made = JSON.parse((await run('create --scope operator --name ops --json')).printed);
  assert.deepEqual([made.tenant, made.scopes], [null, ['operator']]);
  assert.match((await run('list')).printed, new RegExp(`${made.id} +- +operator +until .* ops`));
  for (const flags of [
    '--scope operator,read',
    '--scope operator --tenant a',
    '--scope operator --certificate x',
  ])
    await assert.rejects(run(`create ${flags}`), UsageError, flags);
});
