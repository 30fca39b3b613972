import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { tsdbAccess } from '../../../src/config/external/tsdb-access.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { UsageError } from '../../../src/config/usage-error.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { context } from '../setting-samples.ts';

const folder = temporaryFolder('tsdb-access');
const directory = join(folder, 'a-directory');
mkdirSync(directory);

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Short names for the variables: `username` is FRAMEHOLD_TSDB_USERNAME. */
function access(given: Readonly<Record<string, string>>) {
  const environment = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`FRAMEHOLD_TSDB_${name.toUpperCase()}`, value]),
  );
  const { settings } = loadSettings({
    flags: new Map(),
    environment: { HOME: context.home, ...environment },
    directory: context.directory,
  });
  return tsdbAccess(settings);
}

const http_url = 'http://db:9000/base';
const basic = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

test('no database: no access, whatever credentials there are', () => {
  assert.equal(access({}), null);
  assert.equal(access({ username: 'ada', password: 'hunter2' }), null);
});

const ways: readonly (readonly [string, Readonly<Record<string, string>>, string | null])[] = [
  ['no credential', {}, null],
  ['a name and a password', { username: 'ada', password: 'hun:ter@2 ü' }, basic('ada:hun:ter@2 ü')],
  ['a password in a file', { username: 'ada', password_file: file('p', 'hunter2\n') }, basic('ada:hunter2')],
  [
    'only one line break goes',
    { username: 'ada', password_file: file('p2', ' hunter2 \r\n') },
    basic('ada: hunter2 '),
  ],
  ['a token', { token: 'qt1abc' }, 'Bearer qt1abc'],
  ['a token in a file', { token_file: file('t', 'qt1abc\n') }, 'Bearer qt1abc'],
  ['credentials in the URL', { http_url: 'http://ada:hunter%402@db:9000/base/' }, basic('ada:hunter@2')],
];
for (const [what, given, authorization] of ways) {
  test(`${what}: the header is made of it, and the URL has nothing of it`, () => {
    assert.deepEqual(access({ http_url, ...given }), {
      url: 'http://db:9000/base',
      authorization,
      isExposed: authorization !== null,
    });
  });
}

const contradictions: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['password and token', { username: 'ada', password: 'hunter2', token: 'hunter2' }, /one of them/],
  [
    'URL and password',
    { http_url: 'http://ada:hunter2@db', username: 'ada', password: 'hunter2' },
    /one of them/,
  ],
  ['URL and token', { http_url: 'http://ada:hunter2@db', token: 'hunter2' }, /one of them/],
  ['a name in the URL and a password', { http_url: 'http://ada@db', password: 'hunter2' }, /one of them/],
  ['a name without a password', { username: 'ada' }, /the password is missing/],
  ['a password without a name', { password: 'hunter2' }, /the name is missing/],
  ['a URL with a name alone', { http_url: 'http://ada@db' }, /the password is missing/],
  ['a URL with a password alone', { http_url: 'http://:hunter2@db' }, /the name is missing/],
  ['a URL that is not encoded', { http_url: 'http://ada:hunter2%zz@db' }, /percent sign/],
  ['a name with a colon', { username: 'a:da', password: 'hunter2' }, /colon/],
  [
    'a password and a file',
    { username: 'ada', password: 'hunter2', password_file: file('p3', 'hunter2') },
    /Both tsdb\.password and tsdb\.password_file/,
  ],
  [
    'a token and a file',
    { token: 'hunter2', token_file: file('p4', 'hunter2') },
    /Both tsdb\.token and tsdb\.token_file/,
  ],
  ['a file that is not there', { token_file: join(folder, 'missing') }, /missing cannot be read \(ENOENT\)/],
  ['a directory as a file', { token_file: directory }, /cannot be read \(EISDIR\)/],
  ['an empty file', { username: 'ada', password_file: file('p5', '\n') }, /not allowed; it must be a text/],
  ['a file of two lines', { token_file: file('p6', 'hunter2\nhunter2\n') }, /not allowed; it must be/],
  ['a file that is too large', { token_file: file('p7', 'hunter2'.repeat(10_000)) }, /not allowed/],
];
for (const [what, given, says] of contradictions) {
  test(`refused in one line, without the secret: ${what}`, () => {
    assert.throws(
      () => access({ http_url, ...given }),
      (error: unknown) => {
        assert.ok(error instanceof UsageError, String(error));
        assert.match(error.message, says);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  });
}

const hosts: readonly (readonly [string, boolean])[] = [
  ['http://127.0.0.1:9000', false],
  ['http://127.9.8.7:9000', false],
  ['http://localhost:9000', false],
  ['http://db.localhost:9000', false],
  ['http://[::1]:9000', false],
  ['http://[::ffff:127.0.0.1]:9000', false],
  ['https://db.example.test', false],
  ['http://db.example.test', true],
  ['http://localhost.example.test', true],
  ['http://10.0.0.1:9000', true],
  ['http://[fe80::1]:9000', true],
];
for (const [url, isExposed] of hosts) {
  test(`a credential for ${url} ${isExposed ? 'can be read on its way' : 'cannot be read on its way'}`, () => {
    assert.equal(access({ http_url: url, token: 'x' })?.isExposed, isExposed);
    assert.equal(access({ http_url: url })?.isExposed, false);
  });
}
