import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { HeadBucketCommand } from '@aws-sdk/client-s3';
import { balancerSettings } from '../support/compose-balancer.ts';
import { runTool } from '../support/deploy-tools.ts';
import { runFramehold } from '../support/framehold-process.ts';
import { repositoryRoot } from '../support/repository.ts';
import { startS3 } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = join(repositoryRoot, 'deploy', 'compose');
const file = join(folder, 'compose.yaml');

interface Service {
  readonly image: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly { readonly type: string; readonly source: string; readonly target: string }[];
  readonly secrets?: readonly { readonly source: string }[];
  readonly ports?: readonly { readonly host_ip?: string; readonly target: number }[];
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
}

/** As `docker compose` reads it. Without the values of variables: this reader does not take them from its environment. */
const { code, out, errors } = runTool('compose', ['-no-interpolation', '-format', 'json', file], {
  cwd: folder,
});
assert.equal(code, 0, errors);
const { services, secrets } = JSON.parse(out) as {
  services: Readonly<Record<string, Service>>;
  secrets: Readonly<Record<string, unknown>>;
};
const nodes = Object.entries(services).filter(([name]) => /^framehold-\d$/.test(name));

test('there are three nodes, and each has its own name and its own cache', () => {
  assert.equal(nodes.length, 3);
  for (const [name, { environment, volumes }] of nodes) {
    assert.equal(environment?.FRAMEHOLD_NODE_ID, name);
    assert.deepEqual(
      volumes?.map(({ source, target }) => [source, target]),
      [[name.replace('framehold', 'cache'), '/var/lib/framehold']],
    );
  }
});

test('nodes have no rights that they do not need', () => {
  for (const [, service] of nodes) {
    assert.equal(service.read_only, true);
    assert.deepEqual(service.cap_drop, ['ALL']);
  }
});

test('a server accepts the environment of the nodes, and finds in it what was meant', async () => {
  const { code, output } = await runFramehold(['config'], { env: { ...nodes[0]?.[1].environment } });
  assert.equal(code, 0, output);
  assert.match(output, /^storage\.url = "s3:\/\/frames\/demo" .*FRAMEHOLD_STORAGE_URL$/m);
  assert.match(output, /^node\.id = "framehold-1" /m);
  assert.match(output, /^auth\.required = true /m);
});

test('files that are mounted are there, and secrets that are used are defined', () => {
  for (const { volumes = [], secrets: used = [] } of Object.values(services)) {
    for (const { type, source } of volumes) if (type === 'bind') assert.ok(existsSync(source), source);
    for (const { source } of used) assert.ok(source in secrets, source);
  }
});

test('only this machine reaches it', () => {
  const published = Object.values(services).flatMap(({ ports = [] }) => ports);
  assert.deepEqual(
    published.map(({ host_ip, target }) => [host_ip, target]),
    [
      ['127.0.0.1', 9000],
      ['127.0.0.1', 50052],
    ],
  );
});

test('without a secret it says what to do', () => {
  const refused = runTool('compose', [file]);
  assert.notEqual(refused.code, 0);
  assert.match(refused.errors, /S3_SECRET_KEY is missing a value: set it in deploy\/compose\/\.env/);
});

test('the balancer asks where nodes answer probes, and nobody else reaches that', () => {
  const checked = [...readFileSync(join(folder, 'haproxy.cfg'), 'utf8').matchAll(/ check port (\d+)/g)];
  assert.equal(checked.length, 9);
  for (const [, port] of checked)
    for (const [, { environment }] of nodes)
      assert.equal(environment?.FRAMEHOLD_SERVER_MANAGEMENT_ADDRESS, `0.0.0.0:${port}`);
});

test('HAProxy has nothing to say about the settings of the balancer', () => {
  const ports = [1, 2, 3].map((index) => ({
    http: 9000 + index,
    grpc: 9010 + index,
    management: 9020 + index,
  }));
  const settings = join(temporaryFolder('balancer'), 'haproxy.cfg');
  const text = balancerSettings({ http: 9000, grpc: 9010 }, ports);
  assert.doesNotMatch(text, /^ .*framehold-\d:/m, 'every address was replaced');
  writeFileSync(settings, text);
  const { code, errors } = runTool('haproxy', ['-c', '-f', settings]);
  assert.equal(code, 0, errors);
  assert.doesNotMatch(errors, /WARNING|ALERT/);
});

test('what is off for clients of PostgreSQL can be switched on by taking the marks of comments away', async () => {
  const part = readFileSync(join(folder, 'haproxy.cfg'), 'utf8').replace(
    /^# (frontend|backend| {4})/gm,
    '$1',
  );
  const settings = join(temporaryFolder('balancer'), 'haproxy.cfg');
  const text = part.replaceAll(/framehold-(\d):/g, '127.0.0.$1:');
  assert.match(text, /^frontend postgres\n {4}mode tcp$/m);
  writeFileSync(settings, text);
  const checked = runTool('haproxy', ['-c', '-f', settings]);
  assert.equal(checked.code, 0, checked.errors);
  assert.doesNotMatch(checked.errors, /WARNING|ALERT/);
  const [, name = '', value = ''] = /# (FRAMEHOLD_POSTGRES\w+): (.*)/.exec(readFileSync(file, 'utf8')) ?? [];
  const env = { ...nodes[0]?.[1].environment, [name]: value };
  assert.match(
    (await runFramehold(['config'], { env })).output,
    /^postgres\.bind_address = "0\.0\.0\.0:5432" /m,
  );
  assert.equal(nodes[0]?.[1].environment?.[name], undefined);
});

test('the bucket is made once, and making it again is fine', async (t) => {
  const s3 = await startS3();
  t.after(() => s3.stop());
  const script = join(folder, 'create-bucket.mjs');
  const { PATH = '' } = process.env;
  const env = { PATH, ...s3.env, AWS_REGION: s3.region, AWS_ENDPOINT_URL: s3.endpoint, BUCKET: 'frames' };
  for (let run = 0; run < 2; run++) await promisify(execFile)(process.execPath, [script], { env });
  const { $metadata } = await s3.client().send(new HeadBucketCommand({ Bucket: 'frames' }));
  assert.equal($metadata.httpStatusCode, 200);
});
