import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { S3Server } from '../../../../server/test/support/s3-server.ts';
import { sparkS3Jars } from './spark-parts.ts';
import type { SparkConf } from './spark-process.ts';

export interface SparkS3Keys {
  readonly access: string;
  readonly secret: string;
}

/** What Spark is told about S3; docs/guides/spark.md has the same list. */
export function sparkS3Conf(s3: S3Server, keys?: SparkS3Keys): SparkConf {
  if (!existsSync(sparkS3Jars)) throw new Error('no jars for S3: run TEST_SPARK=whole npm run setup');
  const s3a = (conf: SparkConf) =>
    Object.fromEntries(Object.entries(conf).map(([name, value]) => [`spark.hadoop.fs.s3a.${name}`, value]));
  return {
    'spark.driver.extraClassPath': join(sparkS3Jars, '*'),
    'spark.executor.extraClassPath': join(sparkS3Jars, '*'),
    'spark.hadoop.mapreduce.outputcommitter.factory.scheme.s3a':
      'org.apache.hadoop.fs.s3a.commit.S3ACommitterFactory',
    'spark.sql.sources.commitProtocolClass': 'org.apache.spark.internal.io.cloud.PathOutputCommitProtocol',
    'spark.sql.parquet.output.committer.class':
      'org.apache.spark.internal.io.cloud.BindingParquetOutputCommitter',
    ...s3a({
      endpoint: s3.endpoint,
      'endpoint.region': s3.region,
      'path.style.access': 'true',
      'connection.ssl.enabled': 'false',
      'aws.credentials.provider': 'org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider',
      'access.key': keys?.access ?? s3.accessKey,
      'secret.key': keys?.secret ?? s3.secretKey,
      // Its defaults take minutes on an endpoint that is gone.
      'attempts.maximum': '3',
      'retry.limit': '3',
      'committer.name': 'magic',
    }),
  };
}
