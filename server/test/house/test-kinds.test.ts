import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clusterFiles, exceptionOf, unknownClusterNames } from '../../../scripts/cluster-files.ts';
import { unknownSparkNames } from '../../../scripts/spark-files.ts';
import { allTestFiles, type FileKind, kindOf } from '../../../scripts/test-kinds.ts';

test('a test is an integration test if it, or a tool that it imports, starts another program, or if its name says that it is slow; one of Spark has its own kind', () => {
  const expected: Readonly<Record<string, FileKind>> = {
    'server/test/model/handle.test.ts': 'unit',
    'server/test/house/test-kinds.test.ts': 'unit',
    // Python, directly.
    'server/test/parquet/parquet.test.ts': 'integration',
    // Python, through the harness of its folder.
    'server/test/flight/verbs.test.ts': 'integration',
    'server/test/workers/thread-pool.slow.test.ts': 'integration',
    'e2e/readme.test.ts': 'e2e',
    'engines/spark/test/support/spark-connect-server.test.ts': 'spark',
  };
  const all = allTestFiles();
  for (const [file, kind] of Object.entries(expected)) {
    assert.ok(all.includes(file), file);
    assert.equal(kindOf(file), kind, file);
  }
});

test('the lists of what runs against several nodes name files that exist, and no file of the share is an exception', () => {
  assert.deepEqual(unknownClusterNames(), []);
  assert.deepEqual(unknownSparkNames(allTestFiles()), []);
  const files = clusterFiles();
  assert.ok(files.length > 0);
  assert.deepEqual(
    files.filter((file) => exceptionOf(file) !== undefined),
    [],
  );
});
