import type { StoredObject } from '../../../src/model/version.ts';
import { openS3Store, type S3StoreOptions } from '../../../src/store/s3/s3-store.ts';

/** A node in a process of its own that fetches one object: for a test that kills it in between. */
const { options, object } = JSON.parse(process.argv[2] ?? '') as {
  readonly options: Omit<S3StoreOptions, 'observe'>;
  readonly object: StoredObject;
};
const store = await openS3Store({ ...options, observe: () => {} });
await store.open(object);
process.stdout.write('opened\n');
