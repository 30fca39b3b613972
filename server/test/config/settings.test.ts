import assert from 'node:assert/strict';
import { test } from 'node:test';
import { flagsOf, variablesOf } from '../../src/config/setting-names.ts';
import { type SettingKey, type Settings, settingKeys, settingOf } from '../../src/config/settings.ts';
import { context } from './setting-samples.ts';

test('no two settings share a flag or a variable', () => {
  const names = settingKeys.flatMap((key) => [...flagsOf(key), ...variablesOf(key).map(({ name }) => name)]);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

for (const key of settingKeys) {
  test(`${key}: its default is allowed`, () => {
    const { kind, default: usual } = settingOf(key);
    if (usual !== undefined) assert.notEqual(kind.parse(usual, context), undefined);
  });
}

/** Section 4.3 of the specification, and what was decided about it. */
const namesOfTheSpecification: Readonly<Record<string, SettingKey>> = {
  SERVICE_HTTP_BIND_ADDRESS: 'http.bind_address',
  SERVICE_TSDB_HTTP_URL: 'tsdb.http_url',
  TSDB_HTTP_URL: 'tsdb.http_url',
  SERVICE_GRPC_HOST: 'server.grpc_host',
  SERVICE_GRPC_PORT: 'server.grpc_port',
  SERVICE_PARQUET_PATH: 'storage.parquet_path',
  SERVICE_DUCKDB_PATH: 'storage.duckdb_path',
  SERVICE_CACHE_SIZE: 'storage.cache_size_gb',
  RUST_LOG: 'logging.level',
  SERVICE_LOG_LEVEL: 'logging.level',
};
for (const [variable, key] of Object.entries(namesOfTheSpecification)) {
  test(`${variable} sets ${key}, after the FRAMEHOLD_ name`, () => {
    const names = variablesOf(key).map(({ name }) => name);
    assert.ok(names.includes(variable));
    assert.ok(names[0]?.startsWith('FRAMEHOLD_'));
    if (variable.startsWith('SERVICE_')) assert.equal(names[0], variable.replace('SERVICE_', 'FRAMEHOLD_'));
  });
}

test('every flag is named after its key, and those of the specification exist', () => {
  for (const key of settingKeys) assert.equal(flagsOf(key)[0], key.replaceAll(/[._]/g, '-'));
  assert.deepEqual(flagsOf('server.grpc_port'), ['server-grpc-port', 'grpc-port']);
  assert.deepEqual(flagsOf('storage.data_dir'), ['storage-data-dir', 'data-dir']);
});

test('types follow the table', () => {
  // Checked by the compiler: a line fails to compile if the type differs.
  const take = (settings: Settings): [number, string | undefined, 'json' | 'text'] => [
    settings['server.grpc_port'],
    settings['tsdb.http_url'],
    settings['logging.format'],
  ];
  // @ts-expect-error It may be undefined.
  const takeUrl = (settings: Settings): string => settings['tsdb.http_url'];
  const settings = { 'server.grpc_port': 1, 'logging.format': 'text' } as Settings;
  assert.deepEqual([...take(settings), takeUrl(settings)], [1, undefined, 'text', undefined]);
});
