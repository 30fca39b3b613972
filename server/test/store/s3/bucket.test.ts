import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { S3Store } from '../../../src/store/s3/s3-store.ts';
import { contentOf, publishBytes } from '../../support/object-content.ts';
import { type S3Server, startS3 } from '../../support/s3-server.ts';
import { TestAuthority } from '../../support/test-authority.ts';
import { catalogId, closeStore, openMarked, openUnmarked, s3Options } from './open-s3-store.ts';

let server: S3Server;
before(async () => {
  server = await startS3();
});
after(() => server.stop());

const never = new AbortController().signal;
const atOnce = { bytesPerSecond: null, signal: never };
const absent = { key: 't/absent.arrow', ...contentOf('absent') };
let count = 0;
const newKey = () => `t/b${++count}.arrow`;

async function keysOf(store: S3Store): Promise<string[]> {
  const keys: string[] = [];
  for await (const page of store.list()) keys.push(...page);
  return keys;
}

describe('the identity of a bucket', () => {
  test('is written once, and then changed only by one who has read it', async () => {
    const options = s3Options(server, { bucket: await server.newBucket() });
    const [one, other] = [
      await openUnmarked(options),
      await openUnmarked(s3Options(server, { bucket: options.bucket })),
    ];
    assert.equal(await one.readIdentity(), null);
    const first = { catalogId, epoch: 1 };
    const written = await Promise.all([
      one.writeIdentity(first, null),
      other.writeIdentity({ ...first, epoch: 7 }, null),
    ]);
    assert.deepEqual(written.filter(Boolean), [true], 'one of two');
    const read = await one.readIdentity();
    assert.ok(read !== null);
    assert.equal(await other.writeIdentity({ catalogId, epoch: 8 }, read), true);
    assert.equal(await one.writeIdentity({ catalogId, epoch: 9 }, read), false, 'it has changed since');
    const { epoch } = (await one.readIdentity()) ?? { epoch: null };
    assert.equal(epoch, 8);
    assert.equal(
      await one.writeIdentity({ catalogId, epoch: 8 }, read),
      true,
      'what it would write is there already',
    );
  });

  test('an object is missing only in the bucket of its catalog', async () => {
    const right = await openMarked(s3Options(server));
    const [fault] = await right.verify([absent], atOnce);
    assert.equal(fault?.kind, 'missing');
    const empty = await openUnmarked(s3Options(server, { bucket: await server.newBucket() }));
    await assert.rejects(empty.verify([absent], atOnce), { kind: 'unavailable' });
    const another = await openMarked(
      s3Options(server, { bucket: await server.newBucket(), catalogId: 'another' }),
    );
    const { bucket } = s3Options(server);
    assert.equal((await another.verify([absent], atOnce))[0]?.kind, 'missing');
    const wrong = await openUnmarked(s3Options(server, { bucket, catalogId: 'another' }));
    await assert.rejects(wrong.verify([absent], atOnce), { kind: 'unavailable' });
  });
});

describe('settings that are wrong', () => {
  const allRefuse = async (store: S3Store) => {
    const staged = await store.staging.file(newKey());
    await staged.write([Buffer.from('x')]);
    await assert.rejects(store.publish(staged, contentOf('x')), { kind: 'unavailable' });
    await staged.discard();
    await assert.rejects(store.open(absent), { kind: 'unavailable' });
    await assert.rejects(store.verify([absent], atOnce), { kind: 'unavailable' });
    await assert.rejects(store.readIdentity(), { kind: 'unavailable' });
  };

  test('a bucket that does not exist: unavailable, whatever is asked, and the hint names it', async () => {
    const store = await openUnmarked(s3Options(server, { bucket: 'no-such-bucket' }));
    await allRefuse(store);
    await assert.rejects(store.readIdentity(), (error: { hint: string }) =>
      error.hint.includes('no-such-bucket'),
    );
  });

  test('a wrong secret: unavailable, and nothing is missing or damaged', async () => {
    const options = s3Options(server);
    writeFileSync(options.secretKeyFile ?? '', 'another secret');
    await allRefuse(await openUnmarked(options));
  });

  test('a file of keys that is not there: unavailable', async () => {
    const options = s3Options(server, { secretKeyFile: '/nowhere/secret' });
    await allRefuse(await openUnmarked(options));
  });
});

test('credentials come from the standard AWS chain if no files are named', async () => {
  const names = Object.keys(server.env);
  Object.assign(process.env, server.env);
  try {
    const store = await openMarked(
      s3Options(server, { accessKeyFile: null, secretKeyFile: null, region: null }),
    );
    const object = await publishBytes(store, newKey(), 'signed');
    assert.deepEqual(await store.verify([object], atOnce), []);
    await closeStore(store);
  } finally {
    for (const name of names) delete process.env[name];
  }
});

test('a bucket without a prefix, and another with one beside it, do not see each other', async () => {
  const bucket = await server.newBucket();
  const [whole, part] = [
    await openMarked(s3Options(server, { bucket, prefix: '' })),
    await openMarked(s3Options(server, { bucket, prefix: 'deep/er' })),
  ];
  await publishBytes(whole, 't/whole.arrow', 'whole');
  await publishBytes(part, 't/part.arrow', 'part');
  assert.deepEqual(await keysOf(whole), ['t/whole.arrow']);
  assert.deepEqual(await keysOf(part), ['t/part.arrow']);
});

test('sixteen writers of one key: one wins, and its bytes are there', async () => {
  const store = await openMarked(s3Options(server));
  const key = newKey();
  const candidates = Array.from({ length: 16 }, () => randomBytes(30_000));
  const outcomes = await Promise.allSettled(candidates.map((bytes) => publishBytes(store, key, bytes)));
  const winners = candidates.filter((_, index) => outcomes[index]?.status === 'fulfilled');
  assert.equal(winners.length, 1);
  for (const each of outcomes) if (each.status === 'rejected') assert.equal(each.reason.kind, 'internal');
  const reader = await openMarked(s3Options(server));
  const { path, release } = await reader.open({ key, ...contentOf(winners[0] as Buffer) });
  assert.deepEqual(await readFile(path), winners[0]);
  release();
});

test('uploads that nobody finished go by their age', async () => {
  const options = s3Options(server, { bucket: await server.newBucket() });
  const store = await openMarked(options);
  const client = server.client();
  const left = { Bucket: options.bucket, Key: `${options.prefix}/t/left.arrow` };
  await client.send(new CreateMultipartUploadCommand(left));
  const beside = { Bucket: options.bucket, Key: 'beside/left' };
  await client.send(new CreateMultipartUploadCommand(beside));
  assert.equal(await store.removeStale(Date.now() - 60_000), 0, 'it is young');
  assert.equal(await store.removeStale(Date.now() + 60_000), 1);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: options.bucket }));
  assert.deepEqual(
    Uploads.map(({ Key }) => Key),
    ['beside/left'],
    'what belongs to others stays',
  );
  await client.send(new PutObjectCommand({ ...left, Key: `${options.prefix}/t/readme.txt`, Body: 'mine' }));
  assert.deepEqual(await keysOf(store), [], 'and is not listed');
  client.destroy();
});

test('TLS: the endpoint is trusted through its own authority, and not without it', async () => {
  const authority = new TestAuthority();
  const certificate = authority.sign('/CN=s3', 'IP:127.0.0.1');
  const secured = await startS3('versitygw', { ...certificate, authority: authority.cert });
  const trusting = s3Options(secured, { caFile: authority.cert });
  const store = await openMarked(trusting);
  const object = await publishBytes(store, newKey(), randomBytes(20_000_000));
  assert.deepEqual(await store.verify([object], atOnce), []);
  const doubting = await openUnmarked({ ...s3Options(secured), caFile: null });
  await assert.rejects(doubting.readIdentity(), { kind: 'unavailable' });
  await closeStore(store);
  await closeStore(doubting);
  await secured.stop();
});
