import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { sparkAccess } from '../../../src/config/external/spark-access.ts';
import { loadSettings } from '../../../src/config/load.ts';
import { showAsToml } from '../../../src/config/show.ts';
import { UsageError } from '../../../src/config/usage-error.ts';
import { removeFolder, temporaryFolder } from '../../support/temporary-folder.ts';
import { context } from '../setting-samples.ts';

const folder = temporaryFolder('spark-access');
after(() => removeFolder(folder));

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

/** Short names for the variables: `url` is FRAMEHOLD_SPARK_URL. */
function loaded(given: Readonly<Record<string, string>>, configFile?: string) {
  const environment = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [`FRAMEHOLD_SPARK_${name.toUpperCase()}`, value]),
  );
  return loadSettings({
    flags: new Map(),
    environment: { HOME: context.home, ...environment },
    configFile,
    directory: context.directory,
  });
}

const access = (given: Readonly<Record<string, string>>) => sparkAccess(loaded(given).settings);

test('without a URL there is no Spark', () => {
  assert.equal(access({}), null);
  assert.equal(access({ statements_max: '3' }), null);
});

test('a tenant has its own application, or the one of all', () => {
  const found = access({
    url: 'sc://shared:15002/;use_ssl=true',
    token_file: file('shared', 'shared-token\n'),
    ca_file: '/ca.pem',
    tenant_urls: 'acme=sc://10.0.0.7, beta=sc://beta:15003/;use_ssl=true',
    tenant_token_files: `beta=${file('beta', 'beta-token')}`,
  });
  assert.deepEqual(found?.shared, {
    url: 'sc://shared:15002/;use_ssl=true',
    token: 'shared-token',
    caFile: '/ca.pem',
  });
  // No token of one application goes to another.
  assert.deepEqual(
    [...(found?.tenants ?? [])],
    [
      ['acme', { url: 'sc://10.0.0.7', token: null, caFile: null }],
      ['beta', { url: 'sc://beta:15003/;use_ssl=true', token: 'beta-token', caFile: '/ca.pem' }],
    ],
  );
  assert.equal(access({ tenant_urls: 'acme=sc://a' })?.shared, null);
  const managed = 'sc://a:443/;use_ssl=true;x-cluster-id=1-2';
  assert.deepEqual(access({ url: managed, token: 't' })?.shared, { url: managed, token: 't', caFile: null });
});

test('in the file, tenants are a table, which is shown as it can be written', () => {
  const path = file('config.toml', '[spark.tenant_urls]\nacme = "sc://a:1"\nbeta = "sc://[::1]:2/"\n');
  const settings = loaded({}, path);
  assert.deepEqual([...(sparkAccess(settings.settings)?.tenants.keys() ?? [])], ['acme', 'beta']);
  assert.match(showAsToml(settings), /^spark\.tenant_urls = "acme=sc:\/\/a:1,beta=sc:\/\/\[::1\]:2" /m);
});

test('a token is sent without encryption to this machine only', () => {
  for (const url of [
    'sc://127.0.0.1:15002',
    'sc://127.8.9.1:3',
    'sc://localhost',
    'sc://LOCALHOST',
    'sc://[::1]:15002',
    'sc://far/;use_ssl=true',
  ])
    assert.equal(access({ url, token: 'secret' })?.shared?.token, 'secret', url);
  for (const url of [
    'sc://far',
    'sc://10.0.0.1:15002',
    'sc://128.0.0.1',
    'sc://[::2]',
    'sc://far/;use_ssl=false',
    'sc://localhost.example.org',
  ])
    assert.throws(() => access({ url, token: 'secret' }), /without encryption.*use_ssl=true/, url);
});

const wrong: readonly (readonly [string, Readonly<Record<string, string>>, RegExp])[] = [
  ['a token in the URL', { url: 'sc://a:1/;token=hunter2' }, /spark\.url: "sc:\/\/a:1\/;token=\*\*\*"/],
  ['a token in a tenant\u2019s URL', { tenant_urls: 'a=sc://a/;token=hunter2' }, /spark\.tenant_urls: /],
  ['a user in the URL', { url: 'sc://ada:hunter2@a:1' }, /spark\.url: /],
  ['another scheme', { url: 'http://a' }, /spark\.url: /],
  ['another parameter', { url: 'sc://a/;user_id=x' }, /spark\.url: /],
  ['a port that is none', { url: 'sc://a:99999' }, /spark\.url: /],
  ['a tenant that cannot be one', { tenant_urls: 'A B=sc://a' }, /spark\.tenant_urls: /],
  ['a tenant without a URL', { tenant_urls: 'acme' }, /spark\.tenant_urls: /],
  ['the same tenant twice', { tenant_urls: 'a=sc://a,a=sc://b' }, /spark\.tenant_urls: /],
  ['a token without a URL', { token: 'hunter2' }, /spark\.token is only used with spark\.url/],
  ['two tokens', { url: 'sc://localhost', token: 'hunter2', token_file: '/x' }, /Both spark\.token and/],
  ['a token for a tenant without a URL', { url: 'sc://a', tenant_token_files: 'b=/x' }, /token for b, which/],
  [
    'a file that is not there',
    { tenant_urls: 'a=sc://localhost', tenant_token_files: 'a=/nowhere' },
    /ENOENT/,
  ],
  ['an authority without TLS', { url: 'sc://a', ca_file: '/ca.pem' }, /spark\.ca_file is only used/],
];
for (const [what, given, text] of wrong)
  test(`${what} is refused, and no secret is shown`, () => {
    assert.throws(
      () => access(given),
      (error) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, text);
        assert.doesNotMatch(error.message, /hunter2/);
        return true;
      },
    );
  });

test('a directory for results is not used with a bucket', () => {
  const bucket = { ...loaded({ url: 'sc://a', attempts_path: '/x' }).settings, 'storage.url': 's3://bucket' };
  assert.throws(() => sparkAccess(bucket), /spark\.attempts_path is not used with storage\.url/);
});
