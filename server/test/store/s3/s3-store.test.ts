import { after } from 'node:test';
import { inLongRun } from '../../support/long-run.ts';
import { type S3Kind, type S3Server, startS3 } from '../../support/s3-server.ts';
import { objectStoreConformance } from '../object-store-conformance.ts';
import { closeStore, openMarked, overwrite, readAddress, s3Options } from './open-s3-store.ts';

const kinds = inLongRun<readonly S3Kind[]>(['versitygw', 'minio'], ['versitygw']);

for (const kind of kinds) {
  let starting: Promise<S3Server> | null = null;
  after(async () => (await starting)?.stop());
  objectStoreConformance(`S3 on ${kind}`, async () => {
    starting ??= startS3(kind);
    const server = await starting;
    const options = s3Options(server, { bucket: await server.newBucket() });
    const store = await openMarked(options);
    return {
      store,
      async reopen() {
        await closeStore(store);
        return await openMarked(options);
      },
      damage: (key, bytes) => overwrite(server, options, key, bytes),
      read: (address) => readAddress(server, address),
    };
  });
}
