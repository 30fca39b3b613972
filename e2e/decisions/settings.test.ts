import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { renamedKeys } from '../../server/src/config/setting-names.ts';
import { catalogParts } from '../../server/test/support/catalog-file.ts';
import { Child } from '../../server/test/support/child-process.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { Framehold, runFramehold, serverCommand } from '../../server/test/support/framehold-process.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

type Shown = Record<string, { readonly value: unknown; readonly source: string }>;
type Options = NonNullable<Parameters<typeof runFramehold>[1]>;

async function shown(options: Options, flags: readonly string[] = []): Promise<Shown> {
  const { code, output } = await runFramehold(['config', '--json', ...flags], options);
  assert.equal(code, 0, output);
  return JSON.parse(output) as Shown;
}

/** The start must fail with one line that says all of this. */
async function assertRefused(
  args: readonly string[],
  options: Options,
  ...words: readonly RegExp[]
): Promise<void> {
  const { code, lines } = await runFramehold(args, options);
  assert.notEqual(code, 0);
  assert.equal(lines.length, 1, lines.join('\n'));
  for (const word of words) assert.match(lines[0] ?? '', word);
}

const suffixes: readonly [suffix: string, key: string, ours: string, theirs: string][] = [
  ['HTTP_BIND_ADDRESS', 'http.bind_address', '127.0.0.1:1', '127.0.0.1:2'],
  ['TSDB_HTTP_URL', 'tsdb.http_url', 'http://ours:1', 'http://theirs:1'],
  ['GRPC_HOST', 'server.grpc_host', '127.0.0.1', '127.0.0.2'],
  ['GRPC_PORT', 'server.grpc_port', '1001', '1002'],
  ['PARQUET_PATH', 'storage.parquet_path', '/ours', '/theirs'],
  ['DUCKDB_PATH', 'storage.duckdb_path', '/ours', '/theirs'],
  ['CACHE_SIZE', 'storage.cache_size_gb', '1.5', '2.5'],
  ['LOG_LEVEL', 'logging.level', 'warn', 'error'],
];
for (const [suffix, key, ours, theirs] of suffixes) {
  test(`FRAMEHOLD_${suffix}, then SERVICE_${suffix}`, async () => {
    const both = await shown({ env: { [`FRAMEHOLD_${suffix}`]: ours, [`SERVICE_${suffix}`]: theirs } });
    assert.equal(String(both[key]?.value), ours);
    assert.equal(both[key]?.source, `environment FRAMEHOLD_${suffix}`);
    const one = await shown({ env: { [`SERVICE_${suffix}`]: theirs } });
    assert.equal(String(one[key]?.value), theirs);
    assert.equal(one[key]?.source, `environment SERVICE_${suffix}`);
  });
}

test("the external database's URL: FRAMEHOLD_, SERVICE_, then TSDB_HTTP_URL", async () => {
  const env = {
    TSDB_HTTP_URL: 'http://c:3',
    SERVICE_TSDB_HTTP_URL: 'http://b:2',
    FRAMEHOLD_TSDB_HTTP_URL: 'http://a:1',
  };
  assert.equal((await shown({ env }))['tsdb.http_url']?.value, 'http://a:1');
  assert.equal((await shown({ env: { TSDB_HTTP_URL: 'http://c:3' } }))['tsdb.http_url']?.value, 'http://c:3');
});

test('log level: RUST_LOG comes last, and of target=level pairs only the plain level counts', async () => {
  const level = async (env: Record<string, string>) => (await shown({ env }))['logging.level']?.value;
  assert.equal(await level({ RUST_LOG: 'hyper=debug,warn,h2=trace' }), 'warn');
  assert.equal(await level({ RUST_LOG: 'hyper=debug' }), 'info');
  assert.equal(await level({ RUST_LOG: 'debug', SERVICE_LOG_LEVEL: 'error' }), 'error');
});

test('configuration file: --config, then ~/.framehold, then ~/.service', async () => {
  const folder = temporaryFolder('file');
  const named = join(folder, 'named.toml');
  writeFileSync(named, '[server]\ngrpc_port = 1\n');
  const both = { ownConfigFile: '[server]\ngrpc_port = 2\n', configFile: '[server]\ngrpc_port = 3\n' };
  const port = async (options: Options, flags: string[] = []) =>
    (await shown(options, flags))['server.grpc_port']?.value;
  assert.equal(await port(both, ['--config', named]), 1);
  assert.equal(await port(both), 2);
  assert.equal(await port({ configFile: both.configFile }), 3);
  removeFolder(folder);
});

test('order of sources: flag, environment, file, default', async () => {
  const configFile = '[server]\ngrpc_port = 3\n';
  const env = { SERVICE_GRPC_PORT: '2' };
  const port = async (options: Options, flags: string[] = []) =>
    (await shown(options, flags))['server.grpc_port'];
  assert.deepEqual(await port({ env, configFile }, ['--grpc-port', '1']), {
    value: 1,
    source: 'flag --grpc-port',
  });
  assert.equal((await port({ env, configFile }))?.value, 2);
  assert.equal((await port({ configFile }))?.value, 3);
  assert.deepEqual(await port({}), { value: 50052, source: 'default' });
});

test('every setting is also a flag', async () => {
  const { output } = await runFramehold(['help']);
  for (const key of Object.keys(await shown({}))) {
    const [, last = ''] = /([^.]+)$/.exec(key) ?? [];
    const flag = new RegExp(`--(${key.replaceAll(/[._]/g, '-')}|${last.replaceAll('_', '-')}|[a-z-]*)\\b`);
    assert.match(output, flag, key);
  }
  const flags = [
    '--log-level',
    'warn',
    '--max-connections=7',
    '--cache-size',
    '0.5',
    '--http-limit-max',
    '12',
  ];
  const settings = await shown({}, flags);
  assert.equal(settings['logging.level']?.value, 'warn');
  assert.equal(settings['server.max_connections']?.value, 7);
  assert.equal(settings['storage.cache_size_gb']?.value, 0.5);
  assert.equal(settings['http.limit_max']?.value, 12);
});

test('an unknown key in the file stops the start with one line that names the key', async () => {
  const configFile = '[server]\ngrpc_prot = 1\n';
  await assertRefused(['server'], { configFile }, /grpc_prot/, /config\.toml/);
  await assertRefused(['config'], { configFile }, /grpc_prot/);
});

test('an unknown flag stops the start with one line that names the flag', async () => {
  await assertRefused(['server', '--grpc-prot', '1'], {}, /--grpc-prot/);
});

for (const [title, env, words] of [
  ['a port', { SERVICE_GRPC_PORT: '65536' }, [/65536/, /SERVICE_GRPC_PORT/, /0 to 65535/]],
  ['a port of letters', { SERVICE_GRPC_PORT: 'http' }, [/http/, /SERVICE_GRPC_PORT/]],
  ['an address', { SERVICE_HTTP_BIND_ADDRESS: 'nowhere' }, [/nowhere/, /SERVICE_HTTP_BIND_ADDRESS/]],
  ['a URL', { TSDB_HTTP_URL: 'ftp://db' }, [/ftp:\/\/db/, /TSDB_HTTP_URL/, /http:\/\//]],
  ['a cache size', { SERVICE_CACHE_SIZE: '-1' }, [/-1/, /SERVICE_CACHE_SIZE/]],
  ['a log level', { SERVICE_LOG_LEVEL: 'loud' }, [/loud/, /SERVICE_LOG_LEVEL/, /info/]],
] as const) {
  test(`a value out of range stops the start with one line that names key, value and what is allowed: ${title}`, async () => {
    await assertRefused(['server'], { env }, ...words);
  });
}

test('a value out of range in the file names the file', async () => {
  await assertRefused(
    ['server'],
    { configFile: '[server]\nmax_connections = 0\n' },
    /max_connections/,
    /\b0\b/,
    /config\.toml/,
  );
});

test('framehold config prints every value with its source', async () => {
  const { code, lines } = await runFramehold(['config'], { env: { SERVICE_GRPC_PORT: '1234' } });
  assert.equal(code, 0);
  const line = lines.find((text) => text.startsWith('server.grpc_port')) ?? '';
  assert.match(line, /1234/);
  assert.match(line, /SERVICE_GRPC_PORT/);
});

test('framehold config masks secrets', async () => {
  const env = { TSDB_HTTP_URL: 'http://user:sesame@db:9000' };
  for (const args of [['config'], ['config', '--json']]) {
    const { output } = await runFramehold(args, { env });
    assert.doesNotMatch(output, /sesame/);
    assert.match(output, /db:9000/);
  }
});

test('a GB is 10⁹ bytes', async (t) => {
  // 0.00001 GB are 10,000 bytes, or 10,737 if a GB were 2³⁰: a frame between the two must lose its Arrow form.
  const framehold = await Framehold.start({
    env: { SERVICE_CACHE_SIZE: '0.00001', FRAMEHOLD_JOBS_SWEEP_INTERVAL_MS: '200' },
  });
  t.after(async () => await framehold.remove());
  const { frame } = await arrowBytes({ frame: `pa.table({'n': pa.array(range(1250), pa.int64())})` });
  const { json } = await send(framehold.url, '/v1/frames/frame', frame, { status: 201 });
  assert.ok(Number(json.bytes) > 10_000 && Number(json.bytes) < 10_737, String(json.bytes));
  await framehold.until('evicted Arrow form', () =>
    catalogParts(framehold.dataDirectory).every(({ hasArrow }) => !hasArrow) ? true : null,
  );
});

test('a unix socket and [::] bind too', async (t) => {
  const folder = temporaryFolder('socket');
  const path = join(folder, 'http.sock');
  const framehold = await Framehold.start({ env: { SERVICE_HTTP_BIND_ADDRESS: `unix:${path}` } });
  t.after(async () => {
    await framehold.remove();
    removeFolder(folder);
  });
  assert.ok(existsSync(path));
  const curl = new Child({ command: 'curl', args: ['-sS', '--unix-socket', path, 'http://localhost/ping'] });
  await curl.until('end', () => curl.exit);
  assert.deepEqual(curl.lines, ['ok']);
  const six = await Framehold.start({ env: { SERVICE_HTTP_BIND_ADDRESS: '[::1]:0' } });
  t.after(async () => await six.remove());
  assert.match(six.url, /^http:\/\/\[::1\]:\d+$/);
  assert.equal((await getText(`${six.url}/ping`)).text, 'ok');
});

test('with nothing but its command it starts, with a data directory under the home, and says what to open', async (t) => {
  const home = temporaryFolder('home');
  const [command, ...args] = serverCommand;
  const env = {
    HOME: home,
    SERVICE_HTTP_BIND_ADDRESS: '127.0.0.1:0',
    SERVICE_GRPC_HOST: '127.0.0.1',
    SERVICE_GRPC_PORT: '0',
  };
  const child = new Child({ command, args: [...args, 'server'], env, cwd: home });
  t.after(async () => {
    await child.stop();
    removeFolder(home);
  });
  const [, page = ''] = await child.line(/Open +(http:\/\/\S+) in a browser/);
  assert.match((await getText(page)).text, /<title>Framehold<\/title>/);
  assert.ok(existsSync(join(home, '.framehold', 'data', 'catalog.sqlite')));
  const output = child.lines.join('\n');
  assert.match(output, /http:\/\/127\.0\.0\.1:\d+/);
  assert.match(output, /grpc:\/\/127\.0\.0\.1:\d+/);
});

test('without credentials configured the server is open and says so in one warning line', async (t) => {
  const framehold = await Framehold.start();
  t.after(async () => await framehold.remove());
  const said = () => framehold.lines.filter((line) => /credentials/i.test(line));
  // The ready file is there before the greeting.
  await framehold.until('greeting', () => (said().length > 0 ? true : null));
  const lines = said();
  assert.equal(lines.length, 1, framehold.lines.join('\n'));
  assert.match(lines[0] ?? '', /warn/i);
  for (const url of [framehold.url, framehold.grpcUrl]) assert.ok(lines[0]?.includes(url), lines[0]);
});

test('a second server on the same data directory is refused', async (t) => {
  const framehold = await Framehold.start();
  t.after(async () => await framehold.remove());
  await assertRefused(
    [
      'server',
      '--data-dir',
      framehold.dataDirectory,
      '--http-bind-address',
      '127.0.0.1:0',
      '--grpc-port',
      '0',
    ],
    {},
    /data directory/,
  );
  assert.equal((await getText(`${framehold.url}/ping`)).text, 'ok');
});

test('a data directory that a newer server has written is refused, with the reason and what to do', async (t) => {
  const framehold = await Framehold.start();
  t.after(async () => await framehold.remove());
  await framehold.stop();
  const inside = (name: string) => join(framehold.dataDirectory, name);
  const setVersion = (name: string, version: number) => {
    const db = new DatabaseSync(inside(name));
    const before = Number(db.prepare('PRAGMA user_version').get()?.user_version);
    db.exec(`PRAGMA user_version = ${version}`);
    db.close();
    return () => void setVersion(name, before);
  };
  const setFormat = () => {
    const before = readFileSync(inside('format.json'), 'utf8');
    writeFileSync(inside('format.json'), '{"layout":999,"id":"x"}\n');
    return () => writeFileSync(inside('format.json'), before);
  };
  const address = ['--http-bind-address', '127.0.0.1:0', '--grpc-port', '0'];
  for (const [file, upgrade] of [
    ['format.json', setFormat],
    ['catalog.sqlite', () => setVersion('catalog.sqlite', 999)],
    ['credentials.sqlite', () => setVersion('credentials.sqlite', 999)],
  ] as const) {
    const takeBack = upgrade();
    await assertRefused(
      ['server', '--data-dir', framehold.dataDirectory, ...address],
      {},
      new RegExp(
        `${file}\\b.* layout 999; this server knows layouts up to \\d+\\. .*newer version of Framehold: start that`,
      ),
    );
    takeBack();
  }
  // Nothing was changed by a server that was refused.
  await framehold.start();
});

test('a server that was given former names of settings starts, and its log reports each once', async (t) => {
  const flags = Array.from(renamedKeys.keys(), (key) => [`--${key.replaceAll(/[._]/g, '-')}`, '1']).flat();
  const framehold = await Framehold.start({ flags });
  t.after(() => framehold.remove());
  const reported = (await framehold.linesUntilNow()).filter((line) => line.includes('"setting-renamed"'));
  assert.equal(reported.length, renamedKeys.size);
  for (const [former, key] of renamedKeys)
    assert.ok(
      reported.some((line) => line.includes(former) && line.includes(key)),
      former,
    );
});
