import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from '../../src/command-line/arguments.ts';
import { helpText } from '../../src/command-line/help.ts';
import { loadSettings } from '../../src/config/load.ts';
import { flagOf } from '../../src/config/setting-names.ts';
import { settingKeys, settingOf } from '../../src/config/settings.ts';
import { UsageError } from '../../src/config/usage-error.ts';

const commandsOf: readonly (readonly [readonly string[], string])[] = [
  [[], 'help'],
  [['--grpc-port', '1'], 'server'],
  [['server'], 'server'],
  [['config'], 'config'],
  [['help'], 'help'],
  [['--help'], 'help'],
  [['server', '--grpc-port', '1', '-h'], 'help'],
  [['version'], 'version'],
  [['--version'], 'version'],
];
for (const [argv, command] of commandsOf) {
  test(`framehold ${argv.join(' ')} means ${command}`, () => {
    assert.equal(parseArguments(argv).command, command);
  });
}

test('a flag may be followed by its value or hold it', () => {
  const { flags } = parseArguments(['--grpc-port', '1', '--data-dir=/a=b', '--log-level=']);
  assert.deepEqual(
    [...flags],
    [
      ['grpc-port', '1'],
      ['data-dir', '/a=b'],
      ['log-level', ''],
    ],
  );
});

test('a value may begin with one hyphen, be empty or hold more lines', () => {
  const { flags } = parseArguments(['--grpc-port', '-1', '--log-level', '', '--data-dir=a\nb']);
  assert.deepEqual([...flags.values()], ['-1', '', 'a\nb']);
});

test('a switch needs no value and may hold one', () => {
  assert.equal(
    parseArguments(['--http-trust-proxy', '--grpc-port', '1']).flags.get('http-trust-proxy'),
    'true',
  );
  assert.equal(parseArguments(['--http-trust-proxy=false']).flags.get('http-trust-proxy'), 'false');
});

test('every switch may be followed by true or false', () => {
  for (const key of settingKeys.filter((each) => settingOf(each).kind.placeholder === null))
    for (const word of ['true', 'false']) {
      const { flags } = parseArguments(['server', `--${flagOf(key)}`, word, '--grpc-port', '1']);
      assert.deepEqual([flags.get(flagOf(key)), flags.get('grpc-port')], [word, '1'], key);
    }
  assert.deepEqual(
    [['--json', 'true'], ['--json', 'false'], ['--json=true'], ['--json=false']].map(
      (words) => parseArguments(['config', ...words]).json,
    ),
    [true, false, true, false],
  );
});

test('flags that are no settings are kept apart', () => {
  const server = parseArguments(['server', '--config', 'a.toml', '--ready-file=b', '--grpc-port', '1']);
  assert.deepEqual([server.configFile, server.readyFile, server.json], ['a.toml', 'b', false]);
  assert.deepEqual([...server.flags.keys()], ['grpc-port']);
  const config = parseArguments(['config', '--json', '--config', 'a.toml']);
  assert.deepEqual([config.configFile, config.json], ['a.toml', true]);
});

const refusals: readonly (readonly [readonly string[], RegExp])[] = [
  [
    ['serve'],
    /"serve" is not known\. Did you mean server\? Allowed: put, get, .*completion, server, config, verify, token, tenant, backup, restore, migrate, accept-restore, help, version\./,
  ],
  [['--grpc-prot', '1'], /--grpc-prot is not known\. Did you mean --grpc-port\?/],
  [['--grpc-prot=1'], /--grpc-prot is not known/],
  [['--storage.cache_size_gb', '1'], /Did you mean --storage-cache-size-gb\?/],
  [['--cache_size_gb=1'], /Did you mean --storage-cache-size-gb\?/],
  [['--reserve-bytes=1'], /Did you mean --storage-reserve-bytes\?/],
  [['--http-bind', 'x'], /Did you mean --http-bind-address\?/],
  [['--port', '1'], /Did you mean --http-bind-address\?/],
  [['--http-port', '8080'], /Did you mean --http-bind-address\?/],
  [['token', 'create', '--scopes', 'read'], /Did you mean --scope\?/],
  [['tokn', 'list'], /Did you mean token\?/],
  [['--grpc-port', '1', '--server-grpc-port', '2'], /--grpc-port and --server-grpc-port are the same/],
  [['--nonsense-flag'], /--nonsense-flag is not known\. Allowed: the flags that framehold help lists/],
  [['--grpc-port'], /--grpc-port needs a value/],
  [['--grpc-port', '--data-dir', 'x'], /--grpc-port needs a value/],
  [['--grpc-port', '1', '--grpc-port=2'], /--grpc-port is given twice/],
  [['--http-trust-proxy', 'yes'], /"yes" is not expected here/],
  [['--http-trust-proxy=true', 'false'], /"false" is not expected here/],
  [['--http-trust-proxy', 'true', 'false'], /"false" is not expected here/],
  [['--grpc-port', '1', 'true'], /"true" is not expected here/],
  [['--url', 'http://x', 'list'], /"list" is not known\. Did you mean ls\?/],
  [['--url', 'http://x', 'server'], /--url is one of the commands for frames/],
  [['--url', 'http://x'], /--url is one of the commands for frames: framehold ls --url VALUE/],
  [['server', 'extra'], /"extra" is not expected here/],
  [['-p', '1'], /"-p" is not expected here/],
  [['-pq'], /"-pq" is not expected here/],
  [['-'], /"-" is not expected here/],
  [['--', '--grpc-port', '1'], /"--" is not expected here/],
  [['--=1'], /"--=1" is not expected here/],
  [['--=a=1'], /"--=a=1" is not expected here/],
  [['token', 'list', '--json', 'extra'], /"extra" is not expected here/],
  [['--no-http-trust-proxy'], /--no-http-trust-proxy is not known/],
  [['--__proto__', 'x'], /--__proto__ is not known/],
  [['config', '--json=maybe'], /--json: "maybe" is not allowed; it must be true or false, or nothing/],
  [['server', '--json'], /--json is not allowed with the command server/],
  [['config', '--ready-file', 'x'], /--ready-file is not allowed with the command config/],
  [['version', '--grpc-port', '1'], /--grpc-port is not allowed with the command version/],
];
for (const [argv, message] of refusals) {
  test(`refused: framehold ${argv.join(' ')}`, () => {
    assert.throws(
      () => parseArguments(argv),
      (error: unknown) => {
        assert.ok(error instanceof UsageError);
        assert.match(error.message, message);
        return true;
      },
    );
  });
}

test('a setting is read from either of its flags', () => {
  for (const flag of ['--storage-cache-size-gb', '--cache-size']) {
    const { flags } = parseArguments([flag, '3']);
    const { settings } = loadSettings({ flags, environment: { HOME: '/' }, directory: '/' });
    assert.equal(settings['storage.cache_size_gb'], 3, flag);
  }
});

test('help lists every command and every flag', () => {
  const text = helpText();
  const flags = settingKeys.map((key) => `--${flagOf(key)}`);
  for (const word of [...flags, '--config', '--ready-file', 'server', 'config', 'version'])
    assert.ok(text.includes(`  ${word}`), word);
});
