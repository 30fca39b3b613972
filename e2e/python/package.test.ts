import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { Framehold, serverCommand } from '../../server/test/support/framehold-process.ts';
import { frameholdToken, newToken } from '../../server/test/support/framehold-tokens.ts';
import { inLongRun } from '../../server/test/support/long-run.ts';
import {
  type BuiltPackage,
  buildPythonPackage,
  checkTypes,
  emptyEnvironment,
  pipInstall,
} from '../../server/test/support/python-package.ts';
import { repositoryRoot } from '../../server/test/support/repository.ts';
import { removeFolder, temporaryFolder } from '../../server/test/support/temporary-folder.ts';
import { TestAuthority } from '../../server/test/support/test-authority.ts';

const run = promisify(execFile);
const folder = temporaryFolder('python-package');
const authority = new TestAuthority();
const servers: Framehold[] = [];
let built: BuiltPackage;
let python: string;

async function started(options: Parameters<typeof Framehold.start>[0] = {}): Promise<Framehold> {
  const framehold = await Framehold.start(options);
  servers.push(framehold);
  return framehold;
}

before(async () => {
  built = await buildPythonPackage(join(folder, 'dist'));
  python = await emptyEnvironment(join(folder, 'environment'));
});
after(async () => {
  await Promise.all(servers.map((each) => each.remove()));
  removeFolder(folder);
});

/** What the README promises. */
const threeLines = `
import framehold
db = framehold.connect()
print(db["trades"].to_polars().rows())
`;

test('three lines from pip install to a polars frame', async () => {
  const { url } = await started();
  const csv = 'symbol,price\nBTC-USD,61234.5\nETH-USD,\n';
  const put = await fetch(`${url}/v1/frames/trades`, {
    method: 'PUT',
    headers: { 'content-type': 'text/csv' },
    body: csv,
  });
  assert.equal(put.status, 201);
  const began = performance.now();
  await pipInstall(python, built.wheel, 'polars');
  const installed = performance.now();
  const { stdout } = await run(python, ['-c', threeLines], { env: { FRAMEHOLD_URL: url } });
  const ended = performance.now();
  assert.equal(stdout, "[('BTC-USD', 61234.5), ('ETH-USD', None)]\n");
  console.log(
    `pip install ${(installed - began).toFixed()} ms, three lines ${(ended - installed).toFixed()} ms`,
  );
  assert.ok(ended - began < 120_000, `${ended - began} ms`);
});

test('pyarrow is the only dependency', async () => {
  const script =
    'import importlib.metadata as m; print([r for r in m.requires("framehold") if "extra" not in r])';
  const { stdout } = await run(python, ['-c', script]);
  assert.match(stdout, /^\['pyarrow>=\d+'\]\n$/);
});

test('the wheel and the sdist have the licence, the types and the README', async () => {
  const inWheel = (await run('python3', ['-m', 'zipfile', '-l', built.wheel])).stdout;
  const inSdist = (await run('tar', ['tzf', built.sdist])).stdout;
  for (const [list, names] of [
    [inWheel, ['framehold/py.typed', 'framehold/__init__.py', 'LICENSE']],
    [inSdist, ['src/framehold/py.typed', 'tests/conftest.py', 'LICENSE', 'README.md', 'pyproject.toml']],
  ] as const)
    for (const name of names) assert.ok(list.includes(name), `${name} in\n${list}`);
  assert.ok(!inWheel.includes('tests/'));
});

test('the package passes the strict type checker', checkTypes);

describe('the installed package', () => {
  test('passes its own tests against real servers', async () => {
    await pipInstall(python, 'pytest', 'pandas', 'ipykernel');
    const server = authority.signServer();
    const [open, closed, full] = await Promise.all([
      started(),
      started({ env: { FRAMEHOLD_TLS_CERT_FILE: server.cert, FRAMEHOLD_TLS_KEY_FILE: server.key } }),
      started({ flags: ['--storage-reserve-bytes', '900TB'] }),
    ]);
    const revoked = frameholdToken(closed.dataDirectory, 'create', '--scope', 'read', '--ttl', '1h');
    frameholdToken(closed.dataDirectory, 'revoke', String(revoked.id));
    const described = {
      url: open.url,
      grpc: open.grpcUrl,
      root: repositoryRoot,
      tls_url: closed.url,
      tls_ca: authority.cert,
      write_token: newToken(closed.dataDirectory, 'default', 'write'),
      read_token: newToken(closed.dataDirectory, 'default', 'read'),
      revoked_token: String(revoked.token),
      expired_token: newToken(closed.dataDirectory, 'default', 'read', '1s'),
      full_url: full.url,
      server_command: serverCommand,
    };
    const tests = join(repositoryRoot, 'python', 'tests');
    const environment = {
      FRAMEHOLD_TEST: JSON.stringify(described),
      PYTHONPYCACHEPREFIX: join(folder, 'compiled'),
      EXPRESSIONS: `${inLongRun(6_000, 500)}`,
    };
    const { stdout } = await run(python, ['-m', 'pytest', '-q', '--durations=5', tests], {
      env: { PATH: process.env.PATH ?? '', HOME: folder, ...environment },
      cwd: folder,
      maxBuffer: 16 * 1024 * 1024,
    }).catch((error: { stdout?: string; stderr?: string }) => {
      throw new Error(`${error.stdout}\n${error.stderr}`);
    });
    console.log(stdout.trimEnd().split('\n').slice(-10).join('\n'));
  });
});
