import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { type SparkConnectServer, startSparkConnect } from './spark-connect-server.ts';
import { sparkPython } from './spark-parts.ts';

let spark: SparkConnectServer;
before(async () => {
  spark = await startSparkConnect();
});
after(async () => {
  await spark?.stop();
});

test('the Spark of the tests is the version that the allowlist has the grammar of, and its own client reaches it', async () => {
  const script = `
import sys
from pyspark.sql.connect.session import SparkSession
session = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
print(session.version, session.sql('select sum(id) from range(1000)').collect()[0][0])
session.stop()
`;
  const { stdout } = await promisify(execFile)(sparkPython, ['-c', script, spark.url]);
  assert.equal(stdout.trim(), '4.2.0 499500');
});
