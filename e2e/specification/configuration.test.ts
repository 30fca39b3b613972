import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { FakeUpstream } from '../../server/test/support/fake-upstream.ts';
import { exec, getText, putFrame } from '../../server/test/support/frame-client.ts';
import {
  Framehold,
  type FrameholdOptions,
  runFramehold,
} from '../../server/test/support/framehold-process.ts';
import { freePort } from '../../server/test/support/free-port.ts';
import { arrowBytes } from '../../server/test/support/python.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';

type Shown = Record<string, { readonly value: unknown; readonly source: string }>;

/** The values in force, as `framehold config` shows them. */
async function shown(
  options: Parameters<typeof runFramehold>[1],
  flags: readonly string[] = [],
): Promise<Shown> {
  const { code, output } = await runFramehold(['config', '--json', ...flags], options);
  assert.equal(code, 0, output);
  return JSON.parse(output) as Shown;
}

async function running(
  options: FrameholdOptions,
  use: (framehold: Framehold) => Promise<void>,
): Promise<void> {
  const framehold = await Framehold.start(options);
  try {
    await use(framehold);
  } finally {
    await framehold.remove();
  }
}

test('4.3 SERVICE_HTTP_BIND_ADDRESS: address and port the HTTP listener binds to', async () => {
  const port = await freePort();
  await running({ env: { SERVICE_HTTP_BIND_ADDRESS: `127.0.0.1:${port}` } }, async ({ url }) => {
    assert.equal(url, `http://127.0.0.1:${port}`);
    assert.equal((await getText(`http://127.0.0.1:${port}/ping`)).text, 'ok');
  });
});

test('4.3 SERVICE_HTTP_BIND_ADDRESS defaults to 0.0.0.0:9000', async () => {
  assert.deepEqual((await shown({}))['http.bind_address'], { value: '0.0.0.0:9000', source: 'default' });
});

for (const variable of ['SERVICE_TSDB_HTTP_URL', 'TSDB_HTTP_URL']) {
  test(`4.3 ${variable}: when set, proxy mode is enabled`, async () => {
    const upstream = await FakeUpstream.start(({ socket }) => {
      socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 5\r\n\r\nhello');
    });
    await running({ env: { [variable]: upstream.url } }, async ({ url }) => {
      assert.equal((await exec(url, { query: 'select 1', fmt: 'json' })).text, 'hello');
    });
    await upstream.stop();
  });
}

test('4.3 SERVICE_TSDB_HTTP_URL is unset by default', async () => {
  assert.equal((await shown({}))['tsdb.http_url']?.value, null);
});

test('decided gap: SERVICE_TSDB_HTTP_URL wins over TSDB_HTTP_URL', async () => {
  const env = { SERVICE_TSDB_HTTP_URL: 'http://one:1', TSDB_HTTP_URL: 'http://two:2' };
  assert.deepEqual((await shown({ env }))['tsdb.http_url'], {
    value: 'http://one:1',
    source: 'environment SERVICE_TSDB_HTTP_URL',
  });
});

test('4.3 SERVICE_GRPC_HOST and SERVICE_GRPC_PORT: where the gRPC listener binds', async () => {
  const port = await freePort();
  await running(
    { env: { SERVICE_GRPC_HOST: '127.0.0.1', SERVICE_GRPC_PORT: String(port) } },
    async ({ grpcUrl }) => {
      assert.equal(new URL(grpcUrl.replace(/^grpc/, 'http')).port, String(port));
      await new Promise<void>((resolve, reject) => {
        const socket = connect(port, '127.0.0.1', () => {
          socket.destroy();
          resolve();
        });
        socket.on('error', reject);
      });
    },
  );
});

test('4.3 SERVICE_GRPC_HOST and _PORT default to 0.0.0.0 and 50052', async () => {
  const settings = await shown({});
  assert.deepEqual(settings['server.grpc_host'], { value: '0.0.0.0', source: 'default' });
  assert.deepEqual(settings['server.grpc_port'], { value: 50052, source: 'default' });
});

test('4.3 SERVICE_PARQUET_PATH: directory for cold columnar storage', async () => {
  const folder = temporaryFolder('cold');
  const { frame } = await arrowBytes({ frame: `pa.table({'n': pa.array(range(10), pa.int64())})` });
  await running({ env: { SERVICE_PARQUET_PATH: folder } }, async (framehold) => {
    await putFrame(framehold.url, 'frame', frame);
    await framehold.until('Parquet file', () => {
      const files = readdirSync(folder, { recursive: true }).map(String);
      return files.some((file) => file.endsWith('.parquet')) ? true : null;
    });
    assert.ok(!existsSync(join(framehold.dataDirectory, 'cold')), 'nothing goes to the default place');
  });
  removeFolder(folder);
});

test('4.3 SERVICE_DUCKDB_PATH: file path of the embedded analytics database', async () => {
  const env = { SERVICE_DUCKDB_PATH: '/data/analytics.duckdb' };
  assert.deepEqual((await shown({ env }))['storage.duckdb_path'], {
    value: '/data/analytics.duckdb',
    source: 'environment SERVICE_DUCKDB_PATH',
  });
});

test('4.3 SERVICE_CACHE_SIZE: gigabytes, decimal number', async () => {
  const env = { SERVICE_CACHE_SIZE: '2.5' };
  assert.deepEqual((await shown({ env }))['storage.cache_size_gb'], {
    value: 2.5,
    source: 'environment SERVICE_CACHE_SIZE',
  });
});

test('4.3 optional settings have no default', async () => {
  const settings = await shown({});
  for (const key of ['storage.parquet_path', 'storage.duckdb_path', 'storage.cache_size_gb']) {
    assert.equal(settings[key]?.value, null, key);
  }
});

test('4.3 RUST_LOG: log filter', async () => {
  assert.equal((await shown({ env: { RUST_LOG: 'debug' } }))['logging.level']?.value, 'debug');
  await running({ env: { RUST_LOG: 'error' } }, async (framehold) => {
    await getText(`${framehold.url}/v1/frames`);
    assert.deepEqual(
      framehold.lines.filter((line) => line.includes('http-request')),
      [],
    );
  });
});

test('4.3 SERVICE_LOG_LEVEL: log level, in either case', async () => {
  assert.equal((await shown({ env: { SERVICE_LOG_LEVEL: 'INFO' } }))['logging.level']?.value, 'info');
  await running({ env: { SERVICE_LOG_LEVEL: 'INFO' } }, async (framehold) => {
    await getText(`${framehold.url}/v1/frames`);
    await framehold.until('access log line', () =>
      framehold.lines.some((line) => line.includes('"http-request"')) ? true : null,
    );
  });
});

test('4.3 command line: server --grpc-port <port> --data-dir <directory>', async () => {
  const port = await freePort();
  await running({ flags: ['--grpc-port', String(port)] }, async (framehold) => {
    assert.equal(new URL(framehold.grpcUrl.replace(/^grpc/, 'http')).port, String(port));
    assert.ok(existsSync(join(framehold.dataDirectory, 'catalog.sqlite')));
  });
});

const file = `
[storage]
parquet_path = "/data/cold"
duckdb_path = "/data/analytics.duckdb"
cache_size_gb = 2.0
[server]
grpc_host = "127.0.0.1"
grpc_port = 50099
max_connections = 77
[compression]
algorithm = "zstd"
level = 19
[logging]
level = "warn"
format = "json"
`;
const fileValues: Readonly<Record<string, unknown>> = {
  'storage.parquet_path': '/data/cold',
  'storage.duckdb_path': '/data/analytics.duckdb',
  'storage.cache_size_gb': 2,
  'server.grpc_host': '127.0.0.1',
  'server.grpc_port': 50099,
  'server.max_connections': 77,
  'compression.algorithm': 'zstd',
  'compression.level': 19,
  'logging.level': 'warn',
  'logging.format': 'json',
};
let fromFile: Promise<Shown> | undefined;
for (const [key, value] of Object.entries(fileValues)) {
  test(`4.3 ~/.service/config.toml: ${key}`, async () => {
    fromFile ??= shown({ configFile: file });
    const setting = (await fromFile)[key];
    assert.deepEqual(setting?.value, value);
    assert.match(setting?.source ?? '', /^file .*\.service\/config\.toml$/);
  });
}

test('4.3 the file is in force when the server starts', async () => {
  await running({ configFile: '[logging]\nlevel = "error"\n' }, async (framehold) => {
    await getText(`${framehold.url}/v1/frames`);
    assert.deepEqual(
      framehold.lines.filter((line) => line.includes('"level":"info"')),
      [],
    );
  });
});
