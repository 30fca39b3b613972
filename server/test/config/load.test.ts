import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parseArguments } from '../../src/command-line/arguments.ts';
import { loadSettings, type Sources } from '../../src/config/load.ts';
import { flagOf, formerNames, renamedKeys, variablesOf } from '../../src/config/setting-names.ts';
import { type SettingKey, settingKeys, settingOf } from '../../src/config/settings.ts';
import { UsageError } from '../../src/config/usage-error.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { context, samplesFor } from './setting-samples.ts';

const folder = temporaryFolder('load');
let files = 0;

function tomlFile(text: string): string {
  const path = join(folder, `${files++}.toml`);
  writeFileSync(path, text);
  return path;
}

function load(sources: Partial<Sources>) {
  return loadSettings({
    flags: new Map(),
    environment: { HOME: context.home },
    directory: context.directory,
    ...sources,
  });
}

function environment(variables: Readonly<Record<string, string>>): Sources['environment'] {
  return { HOME: context.home, ...variables };
}

for (const key of settingKeys) {
  test(`${key}: flag before environment before file before default`, () => {
    const { kind, default: usual } = settingOf(key);
    const [forFlag, forVariable, inFile] = samplesFor(key);
    const [{ name = '' } = {}] = variablesOf(key);
    const flags = new Map([[flagOf(key), forFlag]]);
    const variables = environment({ [name]: forVariable });
    const written = ['true', 'false'].includes(inFile) ? inFile : JSON.stringify(inFile);
    const configFile = tomlFile(`${key} = ${written}\n`);
    const expect = (sources: Partial<Sources>, text: string | undefined, from: string) => {
      const { settings, origins } = load(sources);
      const value = text === undefined ? undefined : kind.parse(text, context);
      assert.deepEqual([settings[key], origins[key].from], [value, from]);
    };
    expect({ flags, environment: variables, configFile }, forFlag, 'flag');
    expect({ environment: variables, configFile }, forVariable, 'environment');
    expect({ configFile }, inFile, 'file');
    expect({}, usual, 'default');
  });

  test(`${key}: each variable counts before those after it`, () => {
    const names = variablesOf(key).map(({ name }) => name);
    const samples = samplesFor(key);
    for (const first of names.keys()) {
      const given = names.slice(first).map((name, index) => [name, samples[index % 4] ?? ''] as const);
      const { settings, origins } = load({ environment: environment(Object.fromEntries(given)) });
      assert.deepEqual(settings[key], settingOf(key).kind.parse(samples[0], context));
      assert.deepEqual(origins[key], { from: 'environment', name: names[first] });
    }
  });
}

for (const [former, key] of renamedKeys) {
  test(`${former}: the former name of ${key} works as a flag, a variable and in the file, and is reported`, () => {
    const [text, other] = samplesFor(key);
    const value = settingOf(key).kind.parse(text, context);
    const parsed = (words: readonly string[]) => parseArguments(words).flags;
    const [, ...names] = formerNames(former);
    const [flag = '', variable = '', older = ''] = names;
    const [section, name] = former.split('.');
    for (const sources of [
      { flags: parsed([flag, text]) },
      { environment: environment({ [variable]: text }) },
      { environment: environment({ [older]: text }) },
      { configFile: tomlFile(`${former} = ${JSON.stringify(text)}\n`) },
      { configFile: tomlFile(`[${section}]\n${name} = ${JSON.stringify(text)}\n`) },
    ]) {
      const { settings, renamed } = load(sources);
      assert.deepEqual(settings[key], value);
      assert.equal(renamed.length, 1);
      assert.ok(renamed[0]?.includes(former) && renamed[0].includes(key), renamed[0]);
    }
    const [{ name: current = '' } = {}] = variablesOf(key);
    for (const sources of [
      { environment: environment({ [variable]: other, [current]: text }) },
      { configFile: tomlFile(`${former} = ${JSON.stringify(other)}\n${key} = ${JSON.stringify(text)}\n`) },
    ]) {
      const { settings, renamed } = load(sources);
      assert.deepEqual([settings[key], renamed], [value, []]);
    }
    assert.throws(() => parsed([flag, text, `--${flagOf(key)}`, text]), UsageError);
  });
}

test('an empty variable counts as not set', () => {
  const { settings, origins } = load({
    environment: environment({ FRAMEHOLD_GRPC_PORT: '', SERVICE_GRPC_PORT: '7', FRAMEHOLD_NONSENSE: '' }),
  });
  assert.equal(settings['server.grpc_port'], 7);
  assert.deepEqual(origins['server.grpc_port'], { from: 'environment', name: 'SERVICE_GRPC_PORT' });
});

const rustLogForms: readonly (readonly [string, string, string])[] = [
  ['info', 'info', 'environment'],
  ['DEBUG', 'debug', 'environment'],
  ['trace', 'trace', 'environment'],
  ['off', 'silent', 'environment'],
  ['warn,hyper=debug', 'warn', 'environment'],
  ['hyper=debug, error', 'error', 'environment'],
  ['info,debug', 'debug', 'environment'],
  ['debug/some regexp', 'debug', 'environment'],
  ['framehold=debug', 'info', 'default'],
  ['framehold=debug,hyper=off', 'info', 'default'],
];
for (const [filter, level, from] of rustLogForms) {
  test(`RUST_LOG=${filter} means ${level} (${from})`, () => {
    const { settings, origins } = load({ environment: environment({ RUST_LOG: filter }) });
    assert.deepEqual([settings['logging.level'], origins['logging.level'].from], [level, from]);
  });
}

test('variables that belong to others are passed over', () => {
  const given = load({
    environment: environment({
      SERVICE_SOMETHING: 'x',
      FRAMEHOLDX: 'x',
      FRAMEHOLD_PORT: 'tcp://10.0.0.1:9000',
      FRAMEHOLD_SERVICE_HOST: '10.0.0.1',
      FRAMEHOLD_SERVICE_PORT: '9000',
      FRAMEHOLD_SERVICE_PORT_HTTP: '9000',
      FRAMEHOLD_PORT_9000_TCP: 'tcp://10.0.0.1:9000',
      FRAMEHOLD_PORT_9000_TCP_ADDR: '10.0.0.1',
      FRAMEHOLD_FLIGHT_SERVICE_HOST: '10.0.0.1',
    }),
  });
  assert.deepEqual(given, load({}));
});

interface Refusal {
  readonly what: string;
  readonly sources: () => Partial<Sources>;
  /** All of these are in the one line. */
  readonly says: readonly string[];
}

const refusals: readonly Refusal[] = [
  {
    what: 'a flag out of range',
    sources: () => ({ flags: new Map([['grpc-port', '70000']]) }),
    says: ['server.grpc_port', '"70000"', 'flag --grpc-port', 'from 0 to 65535'],
  },
  {
    what: 'a variable out of range, by the name that was used',
    sources: () => ({ environment: environment({ SERVICE_CACHE_SIZE: '-1' }) }),
    says: ['storage.cache_size_gb', '"-1"', 'environment SERVICE_CACHE_SIZE', 'a number from 0'],
  },
  {
    what: 'a value of the file out of range',
    sources: () => ({ configFile: tomlFile('[compression]\nlevel = 23\n') }),
    says: ['compression.level', '23', '.toml', 'from 1 to 22'],
  },
  {
    what: 'a value of the file of the wrong type',
    sources: () => ({ configFile: tomlFile('[server]\ngrpc_port = [1]\n') }),
    says: ['server.grpc_port', '[1]', 'whole number'],
  },
  {
    what: 'a choice that does not exist',
    sources: () => ({ flags: new Map([['log-format', 'xml']]) }),
    says: ['logging.format', '"xml"', 'json, text'],
  },
  {
    what: 'a word in RUST_LOG that is no level',
    sources: () => ({ environment: environment({ RUST_LOG: 'loud' }) }),
    says: ['logging.level', '"loud"', 'RUST_LOG', 'trace, debug, info'],
  },
  {
    what: 'an unknown variable of ours',
    sources: () => ({ environment: environment({ FRAMEHOLD_GRPC_PROT: '1' }) }),
    says: ['FRAMEHOLD_GRPC_PROT', 'Did you mean FRAMEHOLD_GRPC_PORT?'],
  },
  {
    what: 'a Kubernetes service link in the place of a port, with the way out',
    sources: () => ({ environment: environment({ FRAMEHOLD_GRPC_PORT: 'tcp://10.0.0.1:50052' }) }),
    says: ['server.grpc_port', 'tcp://10.0.0.1:50052', 'enableServiceLinks: false'],
  },
  {
    what: 'an unknown key in the file',
    sources: () => ({ configFile: tomlFile('[server]\ngrpc_prot = 1\n') }),
    says: ['server.grpc_prot', '.toml', 'Did you mean server.grpc_port?', 'server.grpc_host'],
  },
  {
    what: 'an unknown section in the file',
    sources: () => ({ configFile: tomlFile('[surfer]\ngrpc_port = 1\n') }),
    says: ['[surfer]', '.toml'],
  },
  {
    what: 'an unknown key at the top of the file',
    sources: () => ({ configFile: tomlFile('grpc_port = 1\n') }),
    says: ['grpc_port', '.toml'],
  },
  {
    what: 'a section where a value belongs',
    sources: () => ({ configFile: tomlFile('[server.grpc_port]\nx = 1\n') }),
    says: ['server.grpc_port', 'whole number'],
  },
  {
    what: 'a file that is not TOML, with the place',
    sources: () => ({ configFile: tomlFile('[server]\ngrpc_port = = 1\n') }),
    says: ['.toml:2:'],
  },
  {
    what: 'a file that is not there',
    sources: () => ({ configFile: join(folder, 'missing.toml') }),
    says: ['missing.toml', '--config'],
  },
  {
    what: 'a file that cannot be read',
    sources: () => ({ configFile: folder }),
    says: [folder, 'EISDIR'],
  },
  {
    what: 'a value with newlines',
    sources: () => ({ flags: new Map([['grpc-host', 'a\nb\r\nc']]) }),
    says: ['server.grpc_host', String.raw`"a\nb\r\nc"`],
  },
  {
    what: 'a home directory that is needed and not known',
    sources: () => ({ environment: {} }),
    says: ['storage.data_dir', '~/.framehold/data', 'HOME'],
  },
];
for (const { what, sources, says } of refusals) {
  test(`refused in one line: ${what}`, () => {
    assert.throws(
      () => load(sources()),
      (error: unknown) => {
        assert.ok(error instanceof UsageError, String(error));
        for (const part of says) assert.ok(error.message.includes(part), `${error.message} lacks ${part}`);
        assert.ok(!/[\r\n]/.test(error.message));
        return true;
      },
    );
  });
}

test('an error never shows the credentials of a URL, however broken it is', () => {
  for (const url of [
    'ftp://ada:hunter2@db',
    'http://ada:hun/ter2@db?x',
    'ada:hunter2@db',
    'http://ada:hunter2@',
  ]) {
    assert.throws(
      () => load({ environment: environment({ TSDB_HTTP_URL: url }) }),
      (error: Error) =>
        error.message.includes('TSDB_HTTP_URL') && !/hunter2|hun\/ter2|ada/.test(error.message),
    );
  }
});

test('an error never shows a secret, or what may be one', () => {
  for (const sources of [
    { environment: environment({ FRAMEHOLD_TSDB_PASSWORD: 'hunter2\u0007' }) },
    { environment: environment({ FRAMEHOLD_TSDB_TOKEN: 'hunter2 and a space' }) },
    { environment: environment({ FRAMEHOLD_TSDB_PASWORD: 'hunter2' }) },
    { configFile: tomlFile('tsdb.pasword = "hunter2"\n') },
    { configFile: tomlFile('pasword = "hunter2"\n') },
    { configFile: tomlFile('tsdb.password = ["hunter2"]\n') },
    { configFile: tomlFile('tsdb.http_url = ["http://ada:hunter2@db"]\n') },
    { configFile: tomlFile('tsdb.http_url = { ada = "hunter2" }\n') },
    { configFile: tomlFile('tsdb.password = hunter2\n') },
    { configFile: tomlFile('tsdb.password = "hunter2\n') },
  ])
    assert.throws(
      () => load(sources),
      (error: unknown) => error instanceof UsageError && !error.message.includes('hunter2'),
      JSON.stringify(sources),
    );
});

test('the example of the specification loads from ~/.service/config.toml', () => {
  const home = join(folder, 'service-home');
  mkdirSync(join(home, '.service'), { recursive: true });
  const path = join(home, '.service', 'config.toml');
  writeFileSync(
    path,
    `[storage]
parquet_path = "/data/cold"
duckdb_path = "/data/analytics.duckdb"
cache_size_gb = 2.0
[server]
grpc_host = "0.0.0.0"
grpc_port = 50052
max_connections = 100
[compression]
algorithm = "zstd"
level = 19
[logging]
level = "info"
format = "json"
`,
  );
  const { settings, origins } = load({ environment: { HOME: home } });
  const expected: Partial<Record<SettingKey, unknown>> = {
    'storage.parquet_path': '/data/cold',
    'storage.duckdb_path': '/data/analytics.duckdb',
    'storage.cache_size_gb': 2,
    'server.grpc_host': '0.0.0.0',
    'server.grpc_port': 50_052,
    'server.max_connections': 100,
    'compression.algorithm': 'zstd',
    'compression.level': 19,
    'logging.level': 'info',
    'logging.format': 'json',
  };
  for (const [key, value] of Object.entries(expected) as [SettingKey, unknown][]) {
    assert.equal(settings[key], value);
    assert.deepEqual(origins[key], { from: 'file', path });
  }
});

test('~/.framehold/config.toml counts before ~/.service/config.toml, and --config before both', () => {
  const home = join(folder, 'both-home');
  for (const [name, port] of [
    ['.framehold', 1],
    ['.service', 2],
  ] as const) {
    mkdirSync(join(home, name), { recursive: true });
    writeFileSync(join(home, name, 'config.toml'), `server.grpc_port = ${port}\n`);
  }
  const port = (sources: Partial<Sources>) =>
    load({ environment: { HOME: home }, ...sources }).settings['server.grpc_port'];
  assert.equal(port({}), 1);
  assert.equal(port({ configFile: tomlFile('server.grpc_port = 3') }), 3);
});

test('a relative --config begins in the current directory', () => {
  writeFileSync(join(folder, 'relative.toml'), 'server.grpc_port = 9');
  const { settings } = load({ configFile: 'relative.toml', directory: folder });
  assert.equal(settings['server.grpc_port'], 9);
});

test('the data directory begins at home by default', () => {
  assert.equal(load({}).settings['storage.data_dir'], '/users/ada/.framehold/data');
});
