/** Creates the bucket BUCKET, unless it exists. The address and the keys are those of the standard AWS variables. */
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';

const client = new S3Client({ forcePathStyle: true });
try {
  await client.send(new CreateBucketCommand({ Bucket: process.env.BUCKET }));
} catch (error) {
  if (error.name !== 'BucketAlreadyOwnedByYou' && error.name !== 'BucketAlreadyExists') throw error;
}
