import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { S3StoreOptions } from '../../../src/store/s3/s3-store.ts';
import { type S3Server, startS3 } from '../../support/s3-server.ts';
import { resultFoldersConformance } from '../result-folders-conformance.ts';
import { openMarked, s3Options } from './open-s3-store.ts';

let starting: Promise<{ server: S3Server; options: S3StoreOptions }> | null = null;
after(async () => (await starting)?.server.stop());

async function start() {
  const server = await startS3('versitygw');
  return { server, options: s3Options(server, { bucket: await server.newBucket() }) };
}

const bucketAndKey = (address: string) => {
  const { host, pathname } = new URL(address.replace('s3a:', 'http:'));
  return { Bucket: host, Key: pathname.slice(1) };
};

test('an empty key that marks the folder is no file of it', async () => {
  starting ??= start();
  const { server, options } = await starting;
  const { results } = await openMarked(s3Options(server, { bucket: options.bucket }));
  const folder = await results.create('acme');
  const { Bucket, Key } = bucketAndKey(folder.address);
  const client = server.client();
  for (const name of ['', '_SUCCESS', 'part-00000-a.parquet'])
    await client.send(new PutObjectCommand({ Bucket, Key: `${Key}/${name}`, Body: '' }));
  client.destroy();
  assert.deepEqual(
    (await folder.files()).map(({ name }) => name),
    ['part-00000-a.parquet'],
  );
  await folder.remove();
});

test('removing a folder ends uploads to it that were not finished, and no others', async () => {
  starting ??= start();
  const { server, options } = await starting;
  const { results } = await openMarked(s3Options(server, { bucket: options.bucket }));
  const [folder, other] = [await results.create('acme'), await results.create('acme')];
  const client = server.client();
  for (const { address } of [folder, other]) {
    const { Bucket, Key } = bucketAndKey(address);
    await client.send(new CreateMultipartUploadCommand({ Bucket, Key: `${Key}/part-00000-a.parquet` }));
  }
  await folder.remove();
  const { Bucket, Key } = bucketAndKey(other.address);
  const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket }));
  client.destroy();
  assert.deepEqual(
    Uploads.map((upload) => upload.Key),
    [`${Key}/part-00000-a.parquet`],
  );
  await other.remove();
});

/** Every store is in the same bucket, with a cache of its own. */
resultFoldersConformance('versitygw', async () => {
  starting ??= start();
  const { server, options } = await starting;
  const own = s3Options(server, { bucket: options.bucket });
  const { results } = await openMarked(own);
  return {
    folders: results,
    async write(address, name, bytes) {
      const { Bucket, Key } = bucketAndKey(address);
      const client = server.client();
      await client.send(new PutObjectCommand({ Bucket, Key: `${Key}/${name}`, Body: bytes }));
      client.destroy();
    },
    async left(address) {
      const { Bucket, Key } = bucketAndKey(address);
      const client = server.client();
      const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, Prefix: `${Key}/` }));
      client.destroy();
      return Contents.map((each) => each.Key ?? '');
    },
  };
});
