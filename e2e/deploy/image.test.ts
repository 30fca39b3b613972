import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { BuiltImage } from '../../server/test/support/built-image.ts';
import type { Child } from '../../server/test/support/child-process.ts';
import { leaveParts, useParts } from '../../server/test/support/cluster/cluster-parts.ts';
import { runTool } from '../../server/test/support/deploy-tools.ts';
import { getText, send } from '../../server/test/support/frame-client.ts';
import { repositoryRoot } from '../../server/test/support/repository.ts';

const mayMount = process.getuid?.() === 0;

test('hadolint has nothing to say about the Containerfile', () => {
  // Information counts too.
  const { code, out } = runTool('hadolint', ['--failure-threshold', 'info', 'deploy/image/Containerfile']);
  assert.deepEqual([code, out], [0, '']);
});

describe('the image, as its own user over a read-only root', {
  skip: mayMount ? false : 'needs root to build the image and to mount its root',
}, () => {
  let image: BuiltImage;
  let volume: string;
  before(() => {
    image = BuiltImage.build();
    volume = image.newVolume();
  });

  test('it says how it is run: not as root, with two volumes, stopped by SIGTERM', () => {
    const { User, Volumes, StopSignal, Labels } = image.config;
    assert.match(User, /^[1-9]\d*:[1-9]\d*$/);
    assert.deepEqual(Object.keys(Volumes).sort(), ['/tmp', '/var/lib/framehold']);
    assert.equal(StopSignal, 'SIGTERM');
    assert.equal(Labels['org.opencontainers.image.version'], serverVersion());
  });

  test('the command of the image is on its path', async () => {
    const lines = await output(image.run(volume, { command: ['framehold', 'version'] }));
    assert.deepEqual(lines, [`framehold ${serverVersion()}`]);
  });

  test('a process in it is not root and can write to the volumes only', async () => {
    const attempts = ['/opt/framehold', '/etc', '/usr/local/bin', '/tmp', '/var/lib/framehold'];
    const script = `
      console.log(process.getuid(), process.getgid(), process.getgroups().join());
      for (const folder of ${JSON.stringify(attempts)})
        try { fs.writeFileSync(folder + '/written', ''); console.log(folder, 'written'); }
        catch (error) { console.log(folder, error.code); }`;
    const [user, ...rest] = await output(image.run(volume, { command: ['node', '-e', script] }));
    assert.equal(user, '10001 10001 10001');
    assert.deepEqual(rest, [
      '/opt/framehold EROFS',
      '/etc EROFS',
      '/usr/local/bin EROFS',
      '/tmp written',
      '/var/lib/framehold written',
    ]);
  });

  test('it keeps frames and runs SQL, stops when asked, and has the frames when it starts again', async (t) => {
    let { server, url } = await start(image, volume);
    t.after(async () => await server.stop('SIGKILL'));
    assert.equal((await getText(`${url}/v1/frames`)).status, 401);
    const token = await server.until('the first token', () => firstToken(server));
    const headers = { authorization: `Bearer ${token}` };
    await send(url, '/v1/frames/trades', 'price\n10\n20\n', { type: 'text/csv', status: 201, headers });
    const rows = async () => (await getText(`${url}/exec?handle=trades&fmt=json`, { headers })).text;
    assert.match(await rows(), /"dataset":\[\[10\],\[20\]\]/);
    const sum = await getText(`${url}/v1/sql`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/sql', accept: 'text/csv' },
      body: 'select sum(price) as total from trades',
    });
    assert.deepEqual([sum.status, sum.text.trim().split(/\s+/)], [200, ['total', '30']], sum.text);
    assert.equal((await getText(`${url}/`, { headers: { accept: 'text/html' } })).status, 200);

    await server.stop('SIGTERM');
    assert.deepEqual(server.exit, { code: 0, signal: null }, server.tail());
    assert.equal(statSync(join(volume, 'data')).uid, 10001);

    ({ server, url } = await start(image, volume));
    assert.match(await rows(), /"dataset":\[\[10\],\[20\]\]/);
    assert.equal(firstToken(server), null, 'there is one already');
  });

  test('it is a node over PostgreSQL and S3, too, with secrets in files', async (t) => {
    const { postgres, s3 } = await useParts();
    const cache = image.newVolume();
    writeFileSync(join(cache, 'access-key'), s3.accessKey);
    writeFileSync(join(cache, 'secret-key'), `${s3.secretKey}\n`);
    const env = {
      FRAMEHOLD_CATALOG_URL: await postgres.newDatabase(),
      FRAMEHOLD_STORAGE_URL: `s3://${s3.bucket}/image`,
      FRAMEHOLD_STORAGE_S3_ENDPOINT: s3.endpoint,
      FRAMEHOLD_STORAGE_S3_ACCESS_KEY_FILE: '/var/lib/framehold/access-key',
      FRAMEHOLD_STORAGE_S3_SECRET_KEY_FILE: '/var/lib/framehold/secret-key',
    };
    const words = ['framehold', 'token', 'create', '--tenant', 'acme', '--scope', 'write', '--json'];
    const made = await output(image.run(cache, { command: words, env }));
    const { token } = JSON.parse(made.join('')) as { token: string };
    const { server, url } = await start(image, cache, env);
    t.after(async () => {
      await server.stop('SIGKILL');
      await leaveParts();
    });
    await server.until('readiness', async () => ((await fetch(`${url}/readyz`)).ok ? true : null));
    const headers = { authorization: `Bearer ${token}` };
    await send(url, '/v1/frames/trades', 'price\n10\n', { type: 'text/csv', status: 201, headers });
    const { text } = await getText(`${url}/exec?handle=trades&fmt=json`, { headers });
    assert.match(text, /"dataset":\[\[10\]\]/);
  });
});

function firstToken(server: Child): string | null {
  return server.lines.find((line) => /^ +fh_/.test(line))?.trim() ?? null;
}

function serverVersion(): string {
  const manifest = readFileSync(join(repositoryRoot, 'server', 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
}

async function start(
  image: BuiltImage,
  volume: string,
  env: Readonly<Record<string, string>> = {},
): Promise<{ server: Child; url: string }> {
  const readyFile = join(volume, 'ready.json');
  const server = image.run(volume, {
    command: [
      ...image.config.Entrypoint,
      ...image.config.Cmd,
      '--ready-file',
      '/var/lib/framehold/ready.json',
    ],
    env: {
      FRAMEHOLD_HTTP_BIND_ADDRESS: '127.0.0.1:0',
      FRAMEHOLD_GRPC_HOST: '127.0.0.1',
      FRAMEHOLD_GRPC_PORT: '0',
      ...env,
    },
  });
  const ready = await server.until('ready file', () =>
    existsSync(readyFile) ? (JSON.parse(readFileSync(readyFile, 'utf8')) as { http: string }) : null,
  );
  return { server, url: ready.http };
}

/** What a program printed, after it has ended well. */
async function output(program: Child): Promise<readonly string[]> {
  const { code } = await program.until('end', () => program.exit);
  assert.equal(code, 0, program.tail());
  return program.lines;
}
