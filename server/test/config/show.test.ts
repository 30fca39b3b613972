import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadSettings } from '../../src/config/load.ts';
import { masked } from '../../src/config/mask.ts';
import { flagOf } from '../../src/config/setting-names.ts';
import { settingKeys, settingOf, settingTable } from '../../src/config/settings.ts';
import { showAsJson, showAsToml } from '../../src/config/show.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { context, samplesFor } from './setting-samples.ts';

const folder = temporaryFolder('show');
const directory = context.directory;
const base = { flags: new Map<string, string>(), environment: { HOME: context.home }, directory };

test('what is printed as TOML loads to the same values', () => {
  const flags = new Map(settingKeys.map((key) => [flagOf(key), samplesFor(key)[0]]));
  const loaded = loadSettings({ ...base, flags });
  const secrets = settingKeys.filter((key) => settingOf(key).secret === 'whole');
  const filledIn = Object.fromEntries(secrets.map((key) => [key, '***']));
  const configFile = join(folder, 'printed.toml');
  writeFileSync(configFile, showAsToml(loaded));
  assert.deepEqual(loadSettings({ ...base, configFile }).settings, { ...loaded.settings, ...filledIn });
});

test('each value is printed with the source it came from', () => {
  const configFile = join(folder, 'sources.toml');
  writeFileSync(configFile, 'server.max_connections = 7\n');
  const loaded = loadSettings({
    flags: new Map([['grpc-port', '1']]),
    environment: { HOME: context.home, RUST_LOG: 'debug', SERVICE_CACHE_SIZE: '2.5' },
    configFile,
    directory,
  });
  const lines = showAsToml(loaded).split('\n');
  for (const expected of [
    /^server\.grpc_port = 1 +# flag --grpc-port$/,
    /^logging\.level = "debug" +# environment RUST_LOG$/,
    /^storage\.cache_size_gb = 2\.5 +# environment SERVICE_CACHE_SIZE$/,
    /^server\.max_connections = 7 +# file .*sources\.toml$/,
    /^http\.bind_address = "0\.0\.0\.0:9000" +# default$/,
    /^# tsdb\.http_url = +# not set$/,
  ])
    assert.ok(
      lines.some((line) => expected.test(line)),
      `no line like ${expected}`,
    );
  assert.equal(lines.length, settingKeys.length + 1);

  const json = JSON.parse(showAsJson(loaded)) as Record<string, unknown>;
  assert.deepEqual(Object.keys(json), settingKeys);
  assert.deepEqual(json['server.grpc_port'], { value: 1, source: 'flag --grpc-port' });
  assert.deepEqual(json['tsdb.http_url'], { value: null, source: 'not set' });
});

test('credentials in a URL are masked in both forms', () => {
  const environment = { HOME: context.home, TSDB_HTTP_URL: 'http://ada:hunter2@db:9000/base' };
  const loaded = loadSettings({ ...base, environment });
  for (const shown of [showAsToml(loaded), showAsJson(loaded)]) {
    assert.ok(shown.includes('"http://***@db:9000/base"'));
    assert.ok(!/hunter2|ada:/.test(shown));
  }
});

test('a secret is masked whole', () => {
  const setting = { ...settingTable['storage.data_dir'], secret: 'whole' } as const;
  assert.equal(masked(setting, 'hunter2'), '***');
  const environment = {
    HOME: context.home,
    FRAMEHOLD_TSDB_USERNAME: 'ada',
    FRAMEHOLD_TSDB_PASSWORD: 'hunter2',
    FRAMEHOLD_TSDB_TOKEN: 'hunter2',
  };
  const loaded = loadSettings({ ...base, environment });
  for (const shown of [showAsToml(loaded), showAsJson(loaded)]) {
    assert.ok(shown.includes('"ada"'));
    assert.ok(!shown.includes('hunter2'));
  }
});
