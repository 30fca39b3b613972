/** What `framehold doctor --server` says of the PostgreSQL and the bucket that nodes share. It changes neither. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { examineData } from '../../src/commands/doctor.ts';
import type { Finding } from '../../src/commands/finding.ts';
import { loadSettings } from '../../src/config/load.ts';
import { knownMigrations, newestOf } from '../../src/postgres/migrations.ts';
import { newCatalogDatabase } from '../postgres/open-database.ts';
import { freePort } from '../support/free-port.ts';
import { PostgresServer } from '../support/postgres-server.ts';
import { type S3Server, startS3 } from '../support/s3-server.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

let postgres: PostgresServer;
let s3: S3Server;
const environment = { ...process.env };
before(async () => {
  [postgres, s3] = await Promise.all([PostgresServer.start(), startS3()]);
  // The standard AWS chain reads the environment of the process.
  Object.assign(process.env, s3.env);
});
after(async () => {
  process.env = environment;
  await Promise.all([postgres?.stop(), s3?.stop()]);
});

async function examine(flags: Readonly<Record<string, string>>): Promise<Map<string, Finding>> {
  const folder = temporaryFolder('doctor');
  const { settings } = loadSettings({
    flags: new Map(Object.entries({ 'data-dir': folder, ...flags })),
    environment: { HOME: folder },
    directory: folder,
  });
  return new Map((await examineData(settings)).map((finding) => [finding.check, finding]));
}

const markOf = async (url: string) =>
  String((await postgres.query('SELECT catalog_id FROM catalog_state', url))[0]?.catalog_id);

async function putObject(bucket: string, key: string, body: string): Promise<void> {
  const client = s3.client();
  await client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body }));
  client.destroy();
}

test('a new catalog and an empty bucket are well, and stay as they are', async () => {
  const url = await postgres.newDatabase();
  const flags = {
    'catalog-url': url,
    'storage-url': `s3://${s3.bucket}/new`,
    'storage-s3-endpoint': s3.endpoint,
  };
  for (let round = 0; round < 2; round++) {
    const findings = await examine(flags);
    assert.match(findings.get('catalog')?.detail ?? '', /the first node makes its tables/);
    assert.deepEqual(findings.get('bucket')?.state, 'ok');
    assert.match(findings.get('bucket')?.detail ?? '', /is empty: the first node takes it/);
  }
});

test('a bucket that does not exist, refuses or does not answer is a problem, and each says what to do', async () => {
  const url = await newCatalogDatabase(postgres);
  const at = async (flags: Readonly<Record<string, string>>) => {
    const finding = (
      await examine({
        'catalog-url': url,
        'storage-url': 's3://missing/frames',
        'storage-s3-endpoint': s3.endpoint,
        ...flags,
      })
    ).get('bucket');
    assert.equal(finding?.state, 'problem');
    return `${finding.detail} ${finding.remedy}`;
  };
  assert.match(await at({}), /has no bucket missing\. Create it .*many-nodes\.md/);
  const nowhere = `http://127.0.0.1:${await freePort()}`;
  assert.match(await at({ 'storage-s3-endpoint': nowhere }), /did not answer .*ECONNREFUSED.* check http:/);
  const key = process.env.AWS_SECRET_ACCESS_KEY;
  process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
  try {
    assert.match(await at({ 'storage-url': `s3://${s3.bucket}/frames` }), /refused .*403.* credentials/);
  } finally {
    process.env.AWS_SECRET_ACCESS_KEY = key;
  }
});

test('a bucket belongs to this catalog, to another one, or to somebody else', async () => {
  const url = await newCatalogDatabase(postgres);
  const bucket = await s3.newBucket();
  const look = async (prefix: string) =>
    (
      await examine({
        'catalog-url': url,
        'storage-url': `s3://${bucket}/${prefix}`,
        'storage-s3-endpoint': s3.endpoint,
      })
    ).get('bucket');
  await putObject(bucket, 'own/framehold.json', JSON.stringify({ catalogId: await markOf(url), epoch: 3 }));
  assert.match((await look('own'))?.detail ?? '', /belongs to this catalog$/);
  await putObject(bucket, 'other/framehold.json', JSON.stringify({ catalogId: 'other', epoch: 3 }));
  const other = await look('other');
  assert.deepEqual([other?.state, /belongs to another catalog/.test(other?.detail ?? '')], ['problem', true]);
  await putObject(bucket, 'theirs/photo.jpg', 'not a frame');
  assert.deepEqual((await look('theirs'))?.state, 'warning');
  await postgres.query('UPDATE catalog_state SET epoch = 5', url);
  const lost = await look('empty');
  assert.deepEqual([lost?.state, /which is in use/.test(lost?.detail ?? '')], ['problem', true]);
});

test('a catalog that a newer server has changed is a problem; without PostgreSQL the bucket is still looked at', async () => {
  const url = await newCatalogDatabase(postgres);
  const known = newestOf(knownMigrations());
  await postgres.query(`INSERT INTO migrations VALUES (${known + 1}, 'later', ${known + 1})`, url);
  const flags = { 'storage-url': `s3://${s3.bucket}/late`, 'storage-s3-endpoint': s3.endpoint };
  const newer = (await examine({ 'catalog-url': url, ...flags })).get('catalog');
  assert.equal(newer?.state, 'problem');
  assert.match(`${newer?.detail} ${newer?.remedy}`, /changed by a newer server.* Install the newer server\./);
  const nowhere = `postgres://framehold@127.0.0.1:${await freePort()}/framehold`;
  const findings = await examine({ 'catalog-url': nowhere, ...flags });
  assert.deepEqual([findings.get('catalog')?.state, findings.get('bucket')?.state], ['problem', 'ok']);
});
